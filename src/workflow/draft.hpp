#pragma once

/// A workflow file while it is being checked: the values that could be read, and the places of
/// everything that can be checked only with the whole file.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/workflow/file.hpp"
#include "workflow/reference.hpp"
#include "workflow/value_reader.hpp"

namespace pawl::workflow {

/// Where a reference is used. This determines which values it may name.
enum class Spot : std::uint8_t {
  argument,       ///< an element of `run`
  input,          ///< inside `in`
  variable,       ///< a value of `env`
  condition,      ///< `when`
  fan_out,        ///< `each`, or its `list`
  child_id,       ///< `id` of `each`
  gate_argument,  ///< an element of a gate's `run`
  gate_value,     ///< a value of `expect`
  item_source,    ///< `items`: glob, file, run
  item_key,       ///< `items`: id, category
};

struct ReferenceUse {
  Spot spot = Spot::argument;
  Place place;
  Reference reference;
  bool is_whole = true;  ///< the whole text is the reference, so it keeps its type
};

/// One operator of an expectation: the value it applies to, and what it requires.
struct Expectation {
  std::optional<PlacedText> field;     ///< in a gate: a field of the stage's output
  std::optional<Reference> reference;  ///< in `when`
  std::string operation;
  Place operation_place;
  const YamlNode* value = nullptr;
};

struct StageDraft {
  std::string name;
  Place place;
  StageDefinition definition;
  ActionSpec action;
  bool is_action_known = true;  ///< false: it has none, several, or an unsupported one
  bool is_out_known = true;     ///< false: `out` could not be read
  bool is_in_known = true;      ///< false: `in` could not be read
  bool are_needs_known = true;  ///< false: `needs` could not be read

  std::vector<PlacedText> needs;
  std::vector<std::pair<std::string, const YamlNode*>> in;
  std::map<std::string, const YamlNode*, std::less<>> inputs;  ///< the same, by name
  std::vector<ReferenceUse> uses;
  std::vector<Expectation> expectations;
  std::vector<PlacedText> editable;
  std::vector<PlacedText> shown;      ///< "out.markdown", "in.pdf"
  std::vector<PlacedText> assignees;  ///< of its reviews: "anna", "group:editors"
  std::optional<PlacedText> changes_rerun;
  Place on_failure_place;
  Place parallel_place;
  Place rate_place;

  [[nodiscard]] bool is_human() const { return action.kind == ActionKind::human; }
  /// The value of an input under `in`; null if there is none of this name.
  [[nodiscard]] const YamlNode* find_input(std::string_view input) const;
};

struct FileDraft {
  std::string name;
  std::string description;
  std::vector<ParamSpec> params;
  bool are_params_known = true;            ///< false: `params` could not be read
  std::vector<std::string> broken_params;  ///< declared, but the declaration could not be read
  ItemsSpec items;
  Budget budget;
  Tolerance tolerate_failures;
  std::uint32_t parallel = 0;
  Place stages_place;
  std::vector<StageDraft> stages;
  std::map<std::string, std::size_t, std::less<>> places;  ///< the index of each stage, by name
  std::vector<ReferenceUse> uses;                          ///< the references of the items

  [[nodiscard]] std::vector<std::string> stage_names() const;
  /// Null if there is no such stage.
  [[nodiscard]] const StageDraft* find_stage(std::string_view name) const;
};

}  // namespace pawl::workflow
