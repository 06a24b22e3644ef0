#pragma once

/// What a sweep would find, asked without writing. A store asks outside its writes first, so
/// that a sweep with nothing to do costs no transaction; the rows ask again inside one.

#include <optional>
#include <vector>

#include "pawl/core/ids.hpp"
#include "pawl/core/time.hpp"
#include "pawl/store/store.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// A retry, an answer or a deadline whose time has come.
[[nodiscard]] bool anything_due(Session& session, Timestamp now);

/// The earliest retry, answer or deadline after `now`; none: nothing.
[[nodiscard]] Timestamp earliest_due(Session& session, Timestamp now);

[[nodiscard]] std::vector<JobId> jobs_past_deadline(Session& session, Timestamp now);

/// In the order that `worker_of` reads.
inline constexpr char worker_columns[] =
    "id, host, pid, name, started_at, lease_until, last_batch, retired <> 0 OR gone <> 0";
[[nodiscard]] WorkerRecord worker_of(const Cursor& row);
[[nodiscard]] std::optional<WorkerRecord> worker_with_id(Session& session, WorkerId id);

}  // namespace pawl::sql
