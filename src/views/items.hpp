#pragma once

/// An item with its tasks, stored and derived.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/shown.hpp"
#include "pawl/store/records.hpp"

namespace pawl::views {

struct ShownItem {
  Item item;
  ItemState state = ItemState::active;
  std::vector<ShownTask> tasks;
  std::map<TaskId, AttemptNumber> joins = {};  ///< of each fan-out; see `joins_of`
};

/// Reads the tasks of an item.
[[nodiscard]] Result<ShownItem> load_item(Records& records, const Item& item, const Job& job,
                                          const Workflow& workflow);

/// The JSON document of an item, with its "id".
[[nodiscard]] Json shown_item_document(const ShownItem& shown, const Workflow& workflow);

/// The JSON document of a fan-out child. `cancelled` is the cancel of its item or job, if one is in
/// force.
[[nodiscard]] Json child_document(const Task& child, const Workflow& workflow,
                                  std::optional<CancelCause> cancelled);

/// Why a task is in its state: the name of a reason or a cause. Empty if the state says it all.
[[nodiscard]] std::string_view cause_of(const ShownTask& task);
/// Why an item with these tasks is in its state: "convert: retrying (error_retry)", for each stage
/// that it is at or where it ended without success. Empty if all went well. Not escaped.
[[nodiscard]] std::string cause_in_words(const std::vector<ShownTask>& tasks,
                                         const Workflow& workflow);

}  // namespace pawl::views
