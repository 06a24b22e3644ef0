#pragma once

/// Finds the dead letters that an id names.

#include <vector>

#include "cli/input/address.hpp"
#include "pawl/store/dead_letters.hpp"
#include "views/dead_letters.hpp"

namespace pawl::cli {

/// The failed tasks of the item or stage, including fan-out children. "KEY/STAGE[CHILD]" means only
/// that child, and "KEY/STAGE[]" only the stage itself. `not_found` if nothing has failed.
[[nodiscard]] Result<std::vector<TaskId>> find_dead_letters(Records& records,
                                                            const AddressText& text);

using views::letter_filter;
using views::letter_id;

}  // namespace pawl::cli
