#pragma once

/// Where a task stands follows from the newest decision about it, or from a person's answer.

#include <span>

#include "store/verify/checks.hpp"

namespace pawl::store {

/// Whether the check below has to know the answers of people.
[[nodiscard]] bool rests_on_answer(const Task& task, std::span<const Attempt> attempts);

/// I6, I7, I8, I9: the state of a task, with its particulars, is the one that the newest attempt of
/// its epoch was decided into, or that a person put it into. `closed`: the task's closed reviews,
/// where `rests_on_answer`. `may_be_by_hand`: the log says that a person skipped it, or there is
/// no log that could.
void check_standing(const StageDefinition& stage, const Task& task,
                    std::span<const Attempt> attempts, std::span<const Review> closed,
                    bool may_be_by_hand, Findings& findings);

}  // namespace pawl::store
