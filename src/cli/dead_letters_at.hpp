#pragma once

/// The dead letters that an id means.

#include <string>
#include <vector>

#include "cli/address.hpp"
#include "pawl/store/dead_letters.hpp"

namespace pawl::cli {

/// The Failed tasks of the item or stage, fan-out children included; of a child,
/// "KEY/STAGE[CHILD]", its own alone; of "KEY/STAGE[]" that of the stage itself. `not_found` where
/// nothing of it has failed.
[[nodiscard]] Result<std::vector<TaskId>> dead_letters_at(Records& records,
                                                          const AddressText& text);

/// The text that means this letter and no other.
[[nodiscard]] std::string letter_id(Records& records, TaskId task, JobId job,
                                    const std::string& key, const std::string& stage,
                                    const std::string& child);

/// Several conditions as one filter; none where there is none. An empty text is no filter but an
/// error: it must not mean everything.
[[nodiscard]] Result<std::optional<Filter>> letter_filter(const std::optional<std::string>& filter,
                                                          const std::string& stage);

}  // namespace pawl::cli
