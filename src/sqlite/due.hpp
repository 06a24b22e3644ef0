#pragma once

/// What a sweep would find, asked without writing. The store asks on a read connection first, so
/// that a sweep with nothing to do costs no transaction; the rows ask again inside one.

#include <vector>

#include "pawl/core/ids.hpp"
#include "pawl/core/time.hpp"
#include "pawl/store/store.hpp"
#include "sqlite/db.hpp"
#include "sqlite/worker_locks.hpp"

namespace pawl::sqlite {

/// A retry, an answer or a deadline whose time has come.
[[nodiscard]] bool anything_due(Connection& connection, Timestamp now);

/// The earliest retry, answer or deadline after `now`; none: nothing.
[[nodiscard]] Timestamp earliest_due(Connection& connection, Timestamp now);

[[nodiscard]] std::vector<JobId> jobs_past_deadline(Connection& connection, Timestamp now);

/// Workers whose lease has run out, who signed off or whose process is dead, and who may still hold
/// tasks. Never `self`.
[[nodiscard]] std::vector<WorkerId> workers_gone(Connection& connection, const WorkerLocks& locks,
                                                 Timestamp now, WorkerId self);

/// In the order that `worker_of` reads.
inline constexpr char worker_columns[] =
    "id, host, pid, name, started_at, lease_until, last_batch, retired OR gone";
[[nodiscard]] WorkerRecord worker_of(const Cursor& row);
[[nodiscard]] std::optional<WorkerRecord> worker_with_id(Connection& connection, WorkerId id);

}  // namespace pawl::sqlite
