#pragma once

/// A job as a row of `jobs`. The numbers that change with every batch are one compact text.

#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/core/job.hpp"
#include "sqlite/db.hpp"

namespace pawl::sqlite {

/// A job with what only the store knows of it.
struct JobRow {
  Job job;
  std::uint32_t pass = 1;
  /// Every item and task of the job has its ordinal between these two; 0: none yet.
  std::int64_t first_ordinal = 0;
  std::int64_t last_ordinal = 0;
};

/// What changes seldom: a plain step changes the counters alone.
struct JobSettings {
  std::string workflow_hash;
  Json labels;
  Budget budget;
  Tolerance tolerate_failures;
  std::uint32_t parallel = 0;
  std::int32_t priority = 0;
  Timestamp deadline_at;
  Timestamp ended_at;
  bool submission_open = true;
  Generation generation = 0;
  PauseCause paused = PauseCause::none;
  std::optional<CancelCause> cancelled;
  std::int64_t reduce_ordinal = 0;
  std::uint32_t pass = 1;
  friend bool operator==(const JobSettings&, const JobSettings&) = default;
};
[[nodiscard]] JobSettings settings_of(const JobRow& row);

/// In the order that `job_row_of` reads.
inline constexpr char job_columns[] =
    "id, workflow_name, workflow_hash, key, params, labels, budget, tolerance, parallel, "
    "priority, submitted_at, deadline_at, ended_at, submission_open, generation, paused, "
    "cancelled, reduce_ordinal, pass, first_ordinal, last_ordinal, counters";

[[nodiscard]] JobRow job_row_of(const Cursor& row);

/// Inserts with the next id, which it answers.
[[nodiscard]] JobId insert_job_row(Connection& connection, const JobRow& row);
/// Writes all that can change.
void update_job_row(Connection& connection, const JobRow& row);
/// Writes the counters and the range of ordinals: no index has to follow.
void update_job_counters(Connection& connection, const JobRow& row);

/// "total succeeded failed … |k:n,k:n;…|…": totals, then the states of each stage's tasks, then of
/// its children; what is zero is left out.
[[nodiscard]] std::string counters_text(const Job& job);
/// Throws `corrupt` for what `counters_text` did not write.
void read_counters(std::string_view text, Job& job);

}  // namespace pawl::sqlite
