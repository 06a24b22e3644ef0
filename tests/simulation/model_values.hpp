#pragma once

/// What the model knows of jobs, items, tasks, reviews, people and workers.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl::simulation {

struct ModelTask {
  TaskId id;
  JobId job;
  ItemId item;
  TaskId parent;              ///< of a fan-out child
  std::uint32_t made_by = 0;  ///< the expansion of the parent that a child belongs to
  Version version = 0;        ///< as in the store after the last operation
  bool moved = false;         ///< written during this operation: older tokens are stale
  std::uint32_t epoch = 1;
  std::uint32_t round = 1;
  std::uint32_t expansion = 0;
  std::uint32_t expanded_in = 0;  ///< the epoch of its newest expansion
  AttemptNumber attempts = 0;
  Counts counts;
  Cause cause = Cause::first;
  TaskState state;
  Timestamp not_after;                  ///< with jitter a retry may be as late as this
  Usage used;                           ///< by its closed attempts
  std::set<AttemptNumber> with_output;  ///< attempts that left something to approve
};

struct ModelItem {
  ItemId id;
  JobId job;
  std::string key;
  std::optional<CancelCause> cancelled;
};

/// One answer to a review.
struct ModelVote {
  Answer answer;
  ActorKind by_kind = ActorKind::person;
  Timestamp given_at;
  AnswerFate fate = AnswerFate::counts;
  Timestamp ended_at;
};

struct ModelReview {
  ReviewId id;  ///< none until the store has assigned it
  TaskId task;
  JobId job;
  std::uint32_t epoch = 1;
  ReviewReason reason = ReviewReason::policy;
  AttemptNumber attempt = 0;
  std::string shown;   ///< the digest of what it shows; read from the store
  std::string digest;  ///< the same with the edits that are proposed
  Timestamp opened_at;
  std::vector<std::string> assigned;
  Timestamp due_at;
  Timestamp notice_at;
  ReviewStatus status = ReviewStatus::open;
  std::string claimed_by;
  Timestamp claimed_until;
  std::vector<ModelVote> votes;
  std::optional<Answer> answer;
  Timestamp closed_at;
};

struct ModelPerson {
  Role role = Role::viewer;
  std::set<std::string> groups;
};

/// An entry that the audit trail must have.
struct ModelAudit {
  Timestamp at;
  Actor actor;
  std::string act;
  JobId job;
  std::string target;
  std::string reason;
};

struct ModelJob {
  JobId id;
  Workflow workflow;
  std::string key;
  Budget budget;
  Tolerance tolerance;
  std::uint32_t parallel = 0;
  Timestamp submitted_at;
  Timestamp deadline_at;
  Timestamp ended_at;
  bool submission_open = true;
  Generation generation = 1;
  PauseCause paused = PauseCause::none;
  std::set<StageIndex> paused_stages;
  std::string submitted_by;
  std::optional<CancelCause> cancelled;
  std::int64_t job_wide = 0;  ///< the ordinal of its job-wide tasks
  std::int64_t decisions_since_progress = 0;
  Timestamp last_progress_at;
  std::map<std::string, int> seen;  ///< item keys, and in which pass over the source
  int pass = 1;
};

struct ModelWorker {
  Duration lease{};
  Timestamp lease_until;
  bool retired = false;
};

struct Opening {
  Timestamp at;
  Rate rate;
};

/// The result of an attempt, as its worker saw it.
struct Observation {
  AttemptResult result = AttemptResult::success;
  std::optional<StageError> error;
  std::optional<Verdict> verdict;
  std::span<const NewChild> children;
  Usage usage;
  bool has_output = false;
  bool graceful = false;
  bool ran = true;
  Timestamp at;
};

/// The effect of an attempt's end on its task.
struct Ending {
  TaskState state;
  Counts counts;
  Cause cause = Cause::first;
  bool new_round = false;
  Timestamp not_after;
};

}  // namespace pawl::simulation
