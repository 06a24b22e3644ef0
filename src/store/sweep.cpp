/// Time passes and workers die. Recovery is nothing special: an attempt whose worker is gone is
/// closed as interrupted, through the same door as any other.

#include "store/ledger.hpp"

namespace pawl {

Swept Ledger::sweep(const SweepRequest& request) {
  Swept swept;
  std::uint32_t left = request.max;

  for (const WorkerId worker : rows_.gone_workers(now_, request.self)) {
    for (;;) {
      const std::vector<Task> held = rows_.running_of(worker, left);
      for (const Task& task : held) interrupt(task);
      swept.interrupted += static_cast<std::int64_t>(held.size());
      left -= static_cast<std::uint32_t>(held.size());
      if (left == 0 || held.empty()) break;
    }
    if (left == 0) break;
    rows_.forget_worker(worker);
  }
  if (left > 0) {
    for (const Task& scheduled : rows_.due_retries(now_, left)) {
      Touched* touched = touch(scheduled.job);
      require(touched != nullptr, "a task has no job");
      Task ready = wake(scheduled);
      rewrite(ready, scheduled);
      leave(*touched, ready, StateKind::retry_scheduled);
      enter(*touched, ready);
      ++swept.woken;
      --left;
    }
  }
  if (left > 0) {
    for (const Review& review : rows_.due_answers(now_, left)) {
      Touched* touched = touch(review.job);
      require(touched != nullptr && review.answer.has_value(), "an answered review has no answer");
      // One that became effective just now may have taken the question of this one away.
      const std::optional<Review> now_is = rows_.review(review.id);
      if (!now_is || now_is->status != ReviewStatus::answered) continue;
      if (touched->job->cancelled) {
        // Nothing is decided any more: dropped with its question.
        supersede_review(review.task);
      } else if (!make_effective(*touched, review, *review.answer)) {
        // It no longer fits (a budget was used up in between): the question is open again.
        Review open_again = review;
        open_again.status = ReviewStatus::open;
        open_again.answer.reset();
        rows_.put_review(open_again);
      }
      ++swept.answered;
      --left;
    }
  }
  for (const JobId id : rows_.overdue_jobs(now_)) {
    Touched* touched = touch(id);
    const Job& job = *touched->job;
    // What was swept just now may have ended it already, which a row may not show yet.
    if (job.cancelled || job.has_ended() || job.paused != PauseCause::none) continue;
    exhaust(*touched->job, BudgetKind::deadline, now_, touched->events);
    ++swept.ended_jobs;
  }
  swept.more = left == 0;
  swept.next_due = rows_.next_due(now_);
  return swept;
}

void Ledger::interrupt(const Task& running) {
  const Touched* touched = touch(running.job);
  require(touched != nullptr, "a task has no job");
  Attempt closed;
  closed.result = AttemptResult::interrupted;
  closed.started_at = std::get<Running>(running.state).opened_at;
  closed.ended_at = now_;
  closed.cancelled_by = touched->job->cancelled;
  if (!closed.cancelled_by && running.item) {
    closed.cancelled_by = rows_.progress(running.item)->cancelled;
  }
  closed.attempts_cap = touched->job->budget.max_attempts_per_task;
  const StageDefinition& stage = touched->workflow->stage(running.stage());
  (void)apply(close(stage, running, std::move(closed)));
}

}  // namespace pawl
