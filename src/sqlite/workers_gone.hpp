#pragma once

#include <vector>

#include "pawl/core/ids.hpp"
#include "pawl/core/time.hpp"
#include "sqlite/db.hpp"
#include "sqlite/worker_locks.hpp"

namespace pawl::sqlite {

/// Workers whose lease has expired, that have signed off or whose process is dead, and that may
/// still hold tasks. Never `self`.
[[nodiscard]] std::vector<WorkerId> workers_gone(Connection& connection, const WorkerLocks& locks,
                                                 Timestamp now, WorkerId self);

}  // namespace pawl::sqlite
