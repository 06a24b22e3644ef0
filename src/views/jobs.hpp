#pragma once

/// What a job shows beyond its own document.

#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/core/job.hpp"

namespace pawl::views {

/// The number of tasks of a stage in each state, as shown. Dead letters and reviews of fan-out
/// children count for their stage.
[[nodiscard]] StateCounts counts_of_stage(const Job& job, const Workflow& workflow,
                                          StageIndex stage);

/// The number of tasks of the job in this state, including fan-out children.
[[nodiscard]] std::int64_t tasks_in(const Job& job, StateKind state);
/// The number of items that have not ended and do not only wait for people. An estimate from the
/// counters: with fan-out it may count items that wait, but it never leaves out all that go on.
[[nodiscard]] std::int64_t items_to_work_on(const Job& job, const Workflow& workflow);

/// Whether all tasks that could run are in paused stages, and there are such tasks.
[[nodiscard]] bool is_held_by_paused_stages(const Job& job);

/// Whether nothing happens until a person acts: ended, paused, held by paused stages, or only
/// reviews are left.
[[nodiscard]] bool stands_still(const Job& job);

/// The text of a label of a job ("file", "project"); empty if there is none.
[[nodiscard]] std::string label(const Job& job, std::string_view name);

/// The member "budget" of the job's document: limits, what is used, and a forecast of what will be
/// used at the end, from the share of the items that have ended. Null: not known yet.
[[nodiscard]] Json budget_document(const Job& job);

/// Every command that the job would run: {"project","params","items","stages":[…]}.
[[nodiscard]] Json commands_document(const Job& job, const Workflow& workflow);

}  // namespace pawl::views
