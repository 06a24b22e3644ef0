#pragma once

/// What every store says of an id that it does not have.

#include <string>
#include <string_view>

#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"

namespace pawl::store {

[[nodiscard]] std::unexpected<Error> no_such(JobId job);
[[nodiscard]] std::unexpected<Error> no_such(ItemId item);
[[nodiscard]] std::unexpected<Error> no_such(JobId job, std::string_view item_key);
[[nodiscard]] std::unexpected<Error> no_such(TaskId task);
[[nodiscard]] std::unexpected<Error> no_such(ReviewId review);
[[nodiscard]] std::unexpected<Error> no_such(WorkerId worker);

}  // namespace pawl::store
