#pragma once

/// The workflow file: turns YAML into the same `Workflow` value that the C++ builder makes.
///
/// Nothing here runs anything. Besides the text itself, loading reads only the JSON Schemas that
/// gates name, and checks whether scripts exist (for warnings).

#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/workflow.hpp"
#include "pawl/workflow/action.hpp"
#include "pawl/workflow/diagnostic.hpp"

namespace pawl {

struct ParamSpec {
  std::string name;
  FieldType type = FieldType::string;
  std::optional<Json> fallback;  ///< the default; none: the parameter is required
  std::string description;
  friend bool operator==(const ParamSpec&, const ParamSpec&) = default;
};

/// Where the items come from. Texts may contain references to params; `id` and `category` may also
/// refer to the item.
struct ItemsSpec {
  enum class Kind : std::uint8_t {
    one,   ///< no `items` in the file: a single item
    list,  ///< `list`
    glob,  ///< `source`: one item {"path","name"} per file
    file,  ///< `source`: JSON lines
    run,   ///< `argv`: a command that prints JSON lines
  };
  Kind kind = Kind::one;
  std::vector<Json> list;
  std::string source;
  std::vector<std::string> argv;
  std::string id;  ///< "${item.path}"; empty: the key is derived from the data
  /// Items of a glob without `id` are named by their paths. Jobs of older versions do not have it.
  bool keyed_by_path = false;
  std::string category;  ///< empty: none
  std::string path;      ///< where a document contains its items, "a.b"; empty: it is the item
  std::int64_t offset = 0;
  std::optional<std::int64_t> limit;
  friend bool operator==(const ItemsSpec&, const ItemsSpec&) = default;
};
/// For the record of the job, so that `resume` can read the source again. The round trip is exact.
[[nodiscard]] Json describe(const ItemsSpec& items);
[[nodiscard]] Result<ItemsSpec> items_from(const Json& description);

/// A person ("anna") or a group ("group:editors") that the reviews of a file name.
struct Assignee {
  std::string name;
  Place place;
  friend bool operator==(const Assignee&, const Assignee&) = default;
};

struct WorkflowFile {
  Workflow workflow;
  std::string description;
  std::vector<ParamSpec> params;
  ItemsSpec items;
  Budget budget;
  Tolerance tolerate_failures;
  std::uint32_t parallel = 0;       ///< 0: not set
  std::vector<Assignee> assignees;  ///< in the order of the stages
  std::vector<Diagnostic> warnings;
};

struct LoadOptions {
  std::string name = "workflow.yaml";  ///< the file name in diagnostics
  std::filesystem::path project;       ///< the base of relative paths in the file; empty: the cwd
};

/// Limits on the size of a file.
inline constexpr std::size_t file_bytes_max = std::size_t{4} << 20U;
inline constexpr std::size_t file_depth_max = 64;
inline constexpr std::size_t file_nodes_max = 200'000;

/// The workflow, or every fault, in the order of the lines. A fault that only follows from another
/// one is not reported.
[[nodiscard]] std::expected<WorkflowFile, std::vector<Diagnostic>> load_workflow_file(
    std::string_view text, const LoadOptions& options = {});

/// A warning for each assignee that is not among `known`, the people and the groups ("group:NAME")
/// of a store; none if it has no people.
[[nodiscard]] std::vector<Diagnostic> unknown_people(std::span<const Assignee> assignees,
                                                     const std::vector<std::string>& known);
/// Adds these warnings to those of the file. `name` is the file name in diagnostics.
void warn_of_unknown_people(WorkflowFile& file, const std::vector<std::string>& known,
                            std::string_view name);

/// The params of a job: the given values ("k=v" texts) read as their declared types, and the
/// defaults of the others. `invalid` lists every unknown, missing or mistyped param.
[[nodiscard]] Result<Json> bind_params(const std::vector<ParamSpec>& params,
                                       const std::map<std::string, std::string>& given);

/// The same for JSON values, which must have the declared types.
[[nodiscard]] Result<Json> bind_param_values(const std::vector<ParamSpec>& params,
                                             const std::map<std::string, Json>& given);

/// The JSON Schema of workflow files. Its descriptions serve as documentation.
[[nodiscard]] std::string_view workflow_schema();

}  // namespace pawl
