#pragma once

/// What a sweep would find, without writing. A store first checks outside its transactions, so that
/// a sweep with nothing to do costs none; the rows check again inside one.

#include <optional>
#include <vector>

#include "pawl/core/ids.hpp"
#include "pawl/core/time.hpp"
#include "pawl/store/store.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// Whether a retry, an answer, a notice or a deadline is due at `?1`. Each condition repeats that
/// of a partial index word for word, as the planner requires.
inline constexpr char is_anything_due[] =
    "(EXISTS (SELECT 1 FROM tasks WHERE state = 3 AND next_run_at <= ?1) "
    "OR EXISTS (SELECT 1 FROM reviews INDEXED BY reviews_due WHERE status = 2 "
    "AND effective_at <= ?1) "
    "OR EXISTS (SELECT 1 FROM reviews INDEXED BY reviews_to_notice WHERE status = 1 "
    "AND notice_at > 0 AND notice_at <= ?1) "
    "OR EXISTS (SELECT 1 FROM jobs WHERE deadline_at > 0 AND ended_at = 0 AND paused = 0 "
    "AND cancelled IS NULL AND deadline_at <= ?1))";
[[nodiscard]] bool anything_due(Session& session, Timestamp now);

/// The earliest retry, answer, notice or deadline after `now`, or no time.
[[nodiscard]] Timestamp earliest_due(Session& session, Timestamp now);

[[nodiscard]] std::vector<JobId> jobs_past_deadline(Session& session, Timestamp now);

/// In the order that `worker_of` reads.
inline constexpr char worker_columns[] =
    "id, host, pid, name, started_at, lease_until, last_batch, retired <> 0 OR gone <> 0, "
    "holds_since, limits";
[[nodiscard]] WorkerRecord worker_of(const Cursor& row);
[[nodiscard]] std::optional<WorkerRecord> worker_with_id(Session& session, WorkerId id);

}  // namespace pawl::sql
