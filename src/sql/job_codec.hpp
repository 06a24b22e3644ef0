#pragma once

/// A job as a row of `jobs`. The numbers that change with every batch are one compact text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pawl/core/job.hpp"
#include "sql/nulls.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// A job with the values that only the store knows.
struct JobRow {
  Job job;
  std::uint32_t pass = 1;
  /// The range of the ordinals of the job's items and tasks; 0: none yet.
  std::int64_t first_ordinal = 0;
  std::int64_t last_ordinal = 0;
};

/// The values that change rarely: a plain step changes only the counters.
struct JobSettings {
  std::string key;
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
  Trust trust = Trust::own;
  std::string trusted_by;
  Timestamp trusted_at;
  std::string submitted_by;
  friend bool operator==(const JobSettings&, const JobSettings&) = default;
};
[[nodiscard]] JobSettings settings_of(const JobRow& row);

/// In the order that `job_row_of` reads.
inline constexpr char job_columns[] =
    "id, workflow_name, workflow_hash, key, params, labels, budget, tolerance, parallel, "
    "priority, submitted_at, deadline_at, ended_at, submission_open, generation, paused, "
    "cancelled, reduce_ordinal, pass, first_ordinal, last_ordinal, trust, trusted_by, trusted_at, "
    "submitted_by, counters";

/// A new row, without the id that the store assigns, in the order of `job_values`.
inline constexpr char job_new_columns[] =
    "workflow_name, workflow_hash, key, params, labels, budget, tolerance, parallel, priority, "
    "submitted_at, deadline_at, ended_at, submission_open, generation, paused, cancelled, "
    "reduce_ordinal, pass, first_ordinal, last_ordinal, trust, trusted_by, trusted_at, "
    "submitted_by, counters";
/// The columns that can change, in the order of `job_changes`.
inline constexpr char job_changing_columns[] =
    "workflow_hash, key, labels, budget, tolerance, parallel, priority, deadline_at, ended_at, "
    "submission_open, generation, paused, cancelled, reduce_ordinal, pass, first_ordinal, "
    "last_ordinal, trust, trusted_by, trusted_at, submitted_by, counters";

[[nodiscard]] JobRow job_row_of(const Cursor& row);

/// "total succeeded failed … |k:n,k:n;…|…": totals, then the states of each stage's tasks, then of
/// its children; zeros are left out. Then, where there are any: "|rejected adopted_rejected" and
/// "|near_budgets stage,stage,", the stages that are paused.
[[nodiscard]] std::string counters_text(const Job& job);
/// Throws `corrupt` for a text that `counters_text` did not write.
void read_counters(std::string_view text, Job& job);

/// The fields that are stored as text.
struct JobTexts {
  std::string budget;
  std::string tolerance;
  std::string counters;
};
[[nodiscard]] JobTexts job_texts(const Job& job);

/// Calls `use` with all values of a new row; they are valid until it returns.
template <class Use>
auto job_values(const JobRow& row, Use use) {
  const Job& job = row.job;
  const JobTexts texts = job_texts(job);
  return use(job.workflow_name, job.workflow_hash, unless_empty(job.key), job.params, job.labels,
             texts.budget, texts.tolerance, job.parallel, job.priority, job.submitted_at,
             job.deadline_at, job.ended_at, job.submission_open, job.generation, job.paused,
             job.cancelled, job.reduce_ordinal, row.pass, row.first_ordinal, row.last_ordinal,
             job.trust, job.trusted_by, job.trusted_at, job.submitted_by, texts.counters);
}

/// The same with the values that can change.
template <class Use>
auto job_changes(const JobRow& row, Use use) {
  const Job& job = row.job;
  const JobTexts texts = job_texts(job);
  return use(job.workflow_hash, unless_empty(job.key), job.labels, texts.budget, texts.tolerance,
             job.parallel, job.priority, job.deadline_at, job.ended_at, job.submission_open,
             job.generation, job.paused, job.cancelled, job.reduce_ordinal, row.pass,
             row.first_ordinal, row.last_ordinal, job.trust, job.trusted_by, job.trusted_at,
             job.submitted_by, texts.counters);
}

}  // namespace pawl::sql
