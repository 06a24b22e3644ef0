#pragma once

/// The events of the log. An event is committed together with the change it describes, and
/// published after that commit. A late subscriber reads every event, in order, by cursor.

#include <cstdint>
#include <string>

#include "pawl/core/attempt.hpp"

namespace pawl {

/// Stored numbers; their names are in codec/names.cpp. Never change; add at the end.
enum class EventType : std::uint8_t {
  job_submitted = 1,
  job_paused = 2,
  job_resumed = 3,
  job_finished = 4,
  item_settled = 5,
  item_dead_lettered = 6,
  attempt_started = 7,
  attempt_finished = 8,
  gate_accepted = 9,
  gate_rejected = 10,
  gate_uncertain = 11,
  retry_scheduled = 12,
  retry_started = 13,
  escalated = 14,
  review_requested = 15,
  review_decided = 16,
  task_succeeded = 17,
  task_skipped = 18,
  task_failed = 19,
  task_expanded = 20,
  task_cancelled = 21,
  budget_reached = 22,
  job_cancelled = 23,
  dead_letter_discarded = 24,
  item_purged = 25,
  job_imported = 26,
  job_trusted = 27,
  review_answered = 28,
  review_withdrawn = 29,
  review_assigned = 30,
  review_overdue = 31,
  budget_near = 32,
  stage_paused = 33,
  stage_resumed = 34,
};

/// One event. `code`, `count`, `when` and `text` mean what the type says;
/// docs/reference/events.md lists them, and "pawl/views/documents.hpp" renders them as JSON.
struct Event {
  EventType type{};
  EventSeq seq = 0;  ///< set when read back
  JobId job;         ///< set when read back
  ItemId item;       ///< none for events of the job
  TaskId task;       ///< none for events of the job or item
  AttemptNumber attempt = 0;
  Timestamp at;            ///< set when read back
  std::int32_t code = 0;   ///< the number of a result, cause, reason, outcome or state
  std::int64_t count = 0;  ///< max_attempts, children, …
  Timestamp when;          ///< next_run_at
  std::string text;        ///< a summary, reason, message or name
  std::string by;          ///< who asked for it; empty: nobody, or it was not recorded
  friend bool operator==(const Event&, const Event&) = default;

  [[nodiscard]] AttemptId attempt_id() const { return {task, attempt}; }
};

}  // namespace pawl
