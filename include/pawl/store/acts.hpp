#pragma once

/// What operators and reviewers do to a store. Each act is decided by the core from the rows as
/// they are in its transaction, so two people never both win.

#include <string>
#include <variant>

#include "pawl/core/job.hpp"
#include "pawl/core/review.hpp"

namespace pawl {

/// Of a job that is still being imported: the import is given up, and its records are deleted.
struct CancelJob {
  JobId job;
  CancelCause cause = CancelCause::requested;
};
struct PauseJob {
  JobId job;
};
/// `refused` while the budget that paused it is still used up.
struct ResumeJob {
  JobId job;
};
/// Replaces the budget; a job that the old one paused goes on if the new one allows.
struct SetBudget {
  JobId job;
  Budget budget;
};
/// Items may be added again (after a crash in the middle of a submission); see `add_items`.
struct ReopenSubmission {
  JobId job;
};
struct CancelItem {
  ItemId item;
};
/// rerun(item, stage). `refused` when the job's deadline or budget is used up, naming the way out.
struct Rerun {
  TaskId task;
  Cause cause = Cause::manual;
  std::string note;  ///< becomes the feedback of the next attempt, if not empty
  std::string by;
  /// Where given: `conflict` when the task has moved on since it was read, so that of two people
  /// who retry the same dead letter one is told.
  Version expected = 0;
};
struct AnswerReview {
  ReviewId review;
  Answer answer;
};
/// Takes back an answer that is not yet effective; only the one who gave it may.
struct UndoAnswer {
  ReviewId review;
  std::string by;
};
struct ClaimReview {
  ReviewId review;
  std::string by;
  Timestamp until;
};
struct ReleaseReview {
  ReviewId review;
  std::string by;
};
/// Marks a dead letter as dealt with; the task stays Failed, the history stays.
struct DiscardDeadLetter {
  TaskId task;
  std::string reason;
  std::string by;
};
/// Deletes an item with all its records. Only in an ended job, and only when every Failed task of
/// the item has been discarded. The events stay.
struct PurgeItem {
  ItemId item;
};

/// Accepts an imported job, with the job that holds what its items were adopted from: from now on
/// it is as if it had been submitted here. It stays paused. `refused` for any other job.
struct TrustJob {
  JobId job;
  std::string by;
};

using Act = std::variant<CancelJob, PauseJob, ResumeJob, SetBudget, ReopenSubmission, CancelItem,
                         Rerun, AnswerReview, UndoAnswer, ClaimReview, ReleaseReview,
                         DiscardDeadLetter, PurgeItem, TrustJob>;

}  // namespace pawl
