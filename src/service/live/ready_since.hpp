#pragma once

/// How long a task has waited for a worker.

#include "pawl/store/records.hpp"

namespace pawl::service {

/// When a Ready task became ready, as far as the records say it: when what came last before it
/// ended. That is its own last attempt or review, else those of the stages that it needs, else the
/// submission of its item. `not_found` if the task is not Ready.
[[nodiscard]] Result<Timestamp> ready_since(Records& records, const Job& job,
                                            const Workflow& workflow, TaskId id);

}  // namespace pawl::service
