#pragma once

/// What an address names: an item, one of its stages, a job-wide stage, or one fan-out child of a
/// stage; and its text, which documents show as "id".
///
/// Parts of the text are written by `id_part`, so it is one line with one meaning.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::views {

/// The job, item, stage or fan-out child that an address names.
struct Address {
  Job job;
  Workflow workflow;
  std::optional<Item> item;  ///< none: a job-wide stage
  std::optional<StageIndex> stage;
  /// Only the fan-out child of the stage with this key; empty: the stage without its children.
  std::optional<std::string> child = std::nullopt;

  [[nodiscard]] bool is_child() const { return child && !child->empty(); }
};

/// The text that resolves to this item and nothing else: "41/doc-0419". If part of the key would be
/// read as a stage of the workflow, it is written with an escape.
[[nodiscard]] std::string address_of(JobId job, const Workflow& workflow, std::string_view key);
/// The same for a stage: "41/doc-0419/convert", or "41/total" for a job-wide stage, which has no
/// key. A fan-out child is "41/doc-0419/convert[page 3]".
[[nodiscard]] std::string address_of(JobId job, std::string_view key, std::string_view stage,
                                     std::string_view child = {});
/// The same for whatever the address names.
[[nodiscard]] std::string address_of(const Address& address);

/// The stored tasks of the named stage, or of every stage, without fan-out children. For a fan-out
/// child its tasks, one for each expansion, oldest first. An adopted item has the tasks of its
/// original.
[[nodiscard]] Result<std::vector<Task>> tasks_at(Records& records, const Address& address);
/// The task of the fan-out child in the newest expansion of its stage; none if it has no such
/// child.
[[nodiscard]] Result<std::optional<Task>> current_child(Records& records, const Address& address);

}  // namespace pawl::views
