#pragma once

/// The operations of operators and reviewers on a store. The core decides each one from the rows as
/// they are in its transaction, so two people can never both win.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pawl/core/job.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/core/review.hpp"

namespace pawl {

/// Cancels a job. If the job is still being imported, the import is abandoned and its records are
/// deleted.
struct CancelJob {
  JobId job;
  CancelCause cause = CancelCause::requested;
};
struct PauseJob {
  JobId job;
};
/// Nothing of this stage is opened until it is resumed. Attempts that run end as usual.
struct PauseStage {
  JobId job;
  StageIndex stage{};
};
struct ResumeStage {
  JobId job;
  StageIndex stage{};
};
/// `refused` while the budget that paused the job is still used up, and for a cancelled job.
struct ResumeJob {
  JobId job;
};
/// Lets a job go on that a limit has ended: its tolerance, its deadline or its budget. Tasks that
/// were cancelled with it become Ready again, and all counters go on. `refused` while attempts are
/// still ending, while the limit is still exceeded, and for every other job.
struct ReviveJob {
  JobId job;
  std::optional<Tolerance> tolerate_failures;  ///< replaces that of the job
};
/// Replaces the budget. If the old budget paused the job, the job continues if the new one allows
/// it.
struct SetBudget {
  JobId job;
  Budget budget;
};
/// Allows items to be added again, after a crash in the middle of a submission; see `add_items`.
struct ReopenSubmission {
  JobId job;
};
struct CancelItem {
  ItemId item;
};
/// Reruns an item from a stage. `refused` if the job's deadline has passed or its budget is used
/// up; the help says what to do.
struct Rerun {
  TaskId task;
  Cause cause = Cause::manual;
  std::string note;  ///< becomes the feedback of the next attempt, if not empty
  std::string by;
  /// If not 0: `conflict` if the task has changed since it was read. So if two people retry the
  /// same dead letter, one of them gets an error.
  Version expected = 0;
};
/// Skips one stage of an item by hand. What depends on it goes on as after a skip by choice. A
/// Failed task, which is a dead letter, is taken back and skipped in one transaction; that is
/// refused where a rerun would be. `refused` while the task is running or waits for its children,
/// while what it needs has not ended, and once it has ended otherwise.
struct SkipTask {
  TaskId task;
  std::string reason;
  std::string by;
  Version expected = 0;  ///< if not 0: `conflict` if the task has changed since it was read
};
/// Gives an answer. It takes effect when the rules of the stage are satisfied; until then the
/// review stays open and the answer counts.
struct AnswerReview {
  ReviewId review;
  Answer answer;
};
/// Takes back an answer that is not yet effective, or an approval that is not yet enough. Only the
/// person who gave it may do so.
struct UndoAnswer {
  ReviewId review;
  std::string by;
};
struct ClaimReview {
  ReviewId review;
  std::string by;
  Timestamp until;     ///< at most `claim_max` from now
  bool steal = false;  ///< takes over somebody else's claim
};
struct ReleaseReview {
  ReviewId review;
  std::string by;
};
/// Hands a review over. A reviewer may hand over what is assigned to them, to others than everybody
/// and while nobody else has claimed it; an operator anything. A claim of somebody to whom it is no
/// longer assigned ends.
struct AssignReview {
  ReviewId review;
  std::vector<std::string> to;  ///< names and "group:NAME"; empty: everybody
  std::string note;
  std::string by;
};
/// Marks a dead letter as handled. The task stays Failed, and its history stays.
struct DiscardDeadLetter {
  TaskId task;
  std::string reason;
  std::string by;
};
/// Deletes an item with all its records. Only in an ended job, and only if every Failed task of the
/// item has been discarded. The events stay.
struct PurgeItem {
  ItemId item;
};

/// Accepts an imported job, together with the job that holds the originals of its adopted items.
/// From then on it is treated as if it had been submitted here. It stays paused. `refused` for any
/// other job.
struct TrustJob {
  JobId job;
  std::string by;
};

using Act =
    std::variant<CancelJob, PauseJob, ResumeJob, PauseStage, ResumeStage, ReviveJob, SetBudget,
                 ReopenSubmission, CancelItem, Rerun, SkipTask, AnswerReview, UndoAnswer,
                 ClaimReview, ReleaseReview, AssignReview, DiscardDeadLetter, PurgeItem, TrustJob>;

/// The name of an act in the audit trail, "review.answer", and the right that it needs.
[[nodiscard]] std::string_view name_of(const Act& act);
/// Whether the audit trail of a job has acts of this name: those above, and what submissions,
/// imports and due times write.
[[nodiscard]] bool is_act_name(std::string_view name);
[[nodiscard]] Right right_for(const Act& act);
/// Who the act itself says did it; empty if it does not say.
[[nodiscard]] std::string_view doer_of(const Act& act);

}  // namespace pawl
