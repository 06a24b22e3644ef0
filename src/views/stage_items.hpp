#pragma once

/// The items that are at a stage.

#include <cstdint>
#include <functional>

#include "pawl/store/records.hpp"

namespace pawl::views {

/// Calls `see` with each item of the job that is at this stage and comes after `after`, in order of
/// arrival, until it returns false. An item is at a stage that has begun and not succeeded: it
/// waits or runs there, or it failed or was cancelled there.
[[nodiscard]] Status each_item_at(Records& records, JobId job, StageIndex stage, ItemId after,
                                  const std::function<Result<bool>(const Item&)>& see);

/// How many items are at this stage.
[[nodiscard]] std::int64_t items_at(const Job& job, StageIndex stage);

}  // namespace pawl::views
