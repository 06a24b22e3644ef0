#pragma once

/// Finds the dead letters that an id names.

#include <optional>
#include <string>
#include <vector>

#include "cli/input/address.hpp"
#include "pawl/store/dead_letters.hpp"
#include "views/dead_letters.hpp"

namespace pawl::cli {

/// The failed tasks of the item or stage, including fan-out children. "KEY/STAGE[CHILD]" means only
/// that child, and "KEY/STAGE[]" only the stage itself. `not_found` if nothing has failed.
[[nodiscard]] Result<std::vector<TaskId>> find_dead_letters(Records& records,
                                                            const AddressText& text);

using views::letter_id;

/// Both conditions as one filter; none if neither is given. An empty filter text is an error,
/// because it must not select everything.
[[nodiscard]] Result<std::optional<Filter>> letter_filter(const std::optional<std::string>& filter,
                                                          const std::string& stage);

}  // namespace pawl::cli
