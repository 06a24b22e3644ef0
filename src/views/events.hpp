#pragma once

/// Events with the names of what they are about.

#include <map>
#include <optional>
#include <string>

#include "pawl/store/records.hpp"

namespace pawl::views {

/// Looks up the names that events show, and remembers them for the next events.
class EventNames {
 public:
  explicit EventNames(Records& records) : records_(records) {}

  /// The JSON document of an event.
  [[nodiscard]] Json document_of(const Event& event);
  /// Where it happened: "41", "41/doc-0419", "41/doc-0419/convert" or
  /// "41/doc-0419/convert[page-2]".
  [[nodiscard]] std::string place_of(const Event& event);

 private:
  /// Empty without an item, or if the item was purged.
  std::string item_key(ItemId id);
  /// Empty without a stage, or if the workflow is unknown.
  std::string stage_name(const Event& event);
  /// Empty unless the task is a child of a fan-out that is still on record.
  std::string child_name(const Event& event);
  const std::optional<Workflow>& workflow_of(JobId id);

  Records& records_;
  std::map<ItemId, std::string> keys_;
  std::map<TaskId, std::string> children_;
  std::map<JobId, std::optional<Workflow>> workflows_;
};

}  // namespace pawl::views
