#pragma once

/// The cursor of a list that is paged by a number.

#include <cstdint>
#include <string>

#include "pawl/core/result.hpp"

namespace pawl::service {

/// The number that a cursor is; 0 for the empty cursor. `invalid` for any other text.
[[nodiscard]] Result<std::int64_t> number_of_cursor(const std::string& cursor);

}  // namespace pawl::service
