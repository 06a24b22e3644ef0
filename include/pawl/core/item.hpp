#pragma once

/// An item: one unit of input that moves through the stages of a workflow.

#include <cstdint>
#include <optional>
#include <string>

#include "pawl/core/ids.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/task.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

enum class ItemState : std::uint8_t {
  active = 1,
  succeeded = 2,
  failed = 3,
  cancelled = 4,
  rejected = 5,  ///< by a reviewer, in a stage with `rejected: end_item`
};

/// The state of an item whose tasks have all ended.
[[nodiscard]] ItemState settled_state(std::optional<CancelCause> cancelled,
                                      std::uint32_t failed_tasks);
/// The state that a cancel with this cause leads to.
[[nodiscard]] ItemState state_after(CancelCause cause);

struct Item {
  ItemId id;
  JobId job;
  std::string key;  ///< unique in its job
  std::string category;
  Json data;
  std::string data_sha256;
  Timestamp submitted_at;
  ItemState state = ItemState::active;
  std::optional<CancelCause> cancelled;
  std::uint32_t sinks_left = 0;  ///< item-scope stages at the end of the graph that have not ended
  std::uint32_t failed_tasks = 0;  ///< more than 0 makes the item failed, tolerated or not
  ItemId adopted_from;             ///< the item of an earlier job that this one was adopted from
  friend bool operator==(const Item&, const Item&) = default;
};

}  // namespace pawl
