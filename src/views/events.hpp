#pragma once

/// Events with the names of what they are about.

#include <memory>
#include <string>

#include "pawl/store/records.hpp"
#include "views/remembered.hpp"

namespace pawl::views {

/// Looks up the names that events show, and remembers the newest ones, so that its memory stays
/// bounded however many events it sees.
///
/// Every function returns the error of a store that does not answer; a record that was purged has
/// no name.
class EventNames {
 public:
  explicit EventNames(Records& records) : records_(records) {}

  /// The JSON document of an event.
  [[nodiscard]] Result<Json> document_of(const Event& event);
  /// Where it happened: "41", "41/doc-0419", "41/doc-0419/convert" or
  /// "41/doc-0419/convert[page-2]".
  [[nodiscard]] Result<std::string> place_of(const Event& event);

 private:
  /// Empty without an item, or if the item was purged.
  [[nodiscard]] Result<std::string> item_key(ItemId id);
  /// Empty without a stage, or if the workflow is unknown.
  [[nodiscard]] Result<std::string> stage_name(const Event& event);
  /// Empty unless the task is a child of a fan-out that is still on record.
  [[nodiscard]] Result<std::string> child_name(const Event& event);
  /// Null if it is unknown.
  [[nodiscard]] Result<std::shared_ptr<const Workflow>> workflow_of(JobId id);

  Records& records_;
  Remembered<ItemId, std::string> keys_{5'000};
  Remembered<TaskId, std::string> children_{5'000};
  Remembered<JobId, std::string> hashes_{1'000};  ///< of the jobs' workflows
  Remembered<std::string, std::shared_ptr<const Workflow>> workflows_{50};  ///< by hash
};

}  // namespace pawl::views
