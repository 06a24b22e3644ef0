#pragma once

/// What the attempts that run on this machine report about themselves, beside their records.

#include <vector>

#include "actions/live_attempts.hpp"
#include "pawl/store/records.hpp"
#include "views/attempts.hpp"
#include "views/live.hpp"
#include "views/logs.hpp"

namespace pawl::actions {

/// The newest reports of a job's running attempts, without the secrets that are set here; with an
/// item, only those of this item. Reports that cannot be read are left out: they only inform.
[[nodiscard]] std::vector<views::RunningAttempt> running_now(const LiveAttempts& live,
                                                             Records& records, const Job& job,
                                                             const Workflow& workflow,
                                                             ItemId only = {});

/// The logs of the running attempt of a task, as far as they are written and on this machine.
[[nodiscard]] std::vector<views::Log> live_logs(const LiveAttempts& live,
                                                const views::TaskAttempts& one);

}  // namespace pawl::actions
