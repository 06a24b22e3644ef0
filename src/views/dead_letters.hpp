#pragma once

/// Dead letters: those of an item or a stage, their ids and their documents.

#include <string>
#include <vector>

#include "pawl/store/dead_letters.hpp"
#include "views/address.hpp"

namespace pawl::views {

/// The failed tasks at the address, including the failed children of the newest expansion.
[[nodiscard]] Result<std::vector<TaskId>> dead_letters_at(Records& records, const Address& address);
/// Only the failed child with this key; with an empty key only the stage itself.
[[nodiscard]] Result<std::vector<TaskId>> dead_letters_at(Records& records, const Address& address,
                                                          const std::string& child);

/// The id that names only this letter.
[[nodiscard]] std::string letter_id(Records& records, TaskId task, JobId job,
                                    const std::string& key, const std::string& stage,
                                    const std::string& child);
[[nodiscard]] std::string letter_id(Records& records, const DeadLetter& letter);

/// The JSON document of a letter, with its "id".
[[nodiscard]] Json letter_document(Records& records, const DeadLetter& letter);
[[nodiscard]] Json group_document(const DeadLetterGroup& group);

}  // namespace pawl::views
