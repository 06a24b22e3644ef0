#pragma once

/// The dead letters that an id means.

#include <string>
#include <vector>

#include "cli/address.hpp"
#include "pawl/store/dead_letters.hpp"

namespace pawl::cli {

/// The Failed tasks of the item or stage, fan-out children included. `not_found` where nothing of
/// it has failed.
[[nodiscard]] Result<std::vector<TaskId>> dead_letters_at(Records& records,
                                                          const AddressText& text);

/// Several conditions as one filter; none where there is none. An empty text is no filter but an
/// error: it must not mean everything.
[[nodiscard]] Result<std::optional<Filter>> letter_filter(const std::optional<std::string>& filter,
                                                          const std::string& stage);

/// A text for the shell, in single quotes.
[[nodiscard]] std::string quoted_for_shell(const std::string& text);

}  // namespace pawl::cli
