/// Lets time pass. Recovery is not special: an attempt whose worker is gone is closed as
/// interrupted, as any other attempt is closed.

#include "store/ledger/verbs.hpp"

namespace pawl::store {

Swept Sweep::sweep(const SweepRequest& request) {
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
      TouchedJob& touched = books_.touch_owner(scheduled.job);
      Task ready = wake(scheduled);
      books_.rewrite(ready, scheduled);
      admission_.leave(touched, ready, StateKind::retry_scheduled);
      admission_.enter(touched, ready);
      ++swept.woken;
      --left;
    }
  }
  if (left > 0) {
    for (const Review& review : rows_.due_answers(now_, left)) {
      TouchedJob& touched = books_.touch_owner(review.job);
      require(review.answer.has_value(), "an answered review has no answer");
      // An answer that became effective just now may have superseded this review.
      const std::optional<Review> now_is = rows_.review(review.id);
      if (!now_is || now_is->status != ReviewStatus::answered) continue;
      const bool is_cancelled = touched.job->cancelled && !is_ended_by_limit(*touched.job);
      if (is_cancelled) {
        // Nothing is decided any more: the answer is dropped with its review.
        flow_.supersede_review(review.task);
      } else if (touched.job->cancelled || !ReviewAnswers(books_, admission_, flow_)
                                                .make_effective(touched, review, *review.answer)) {
        // It no longer fits: a limit was reached in between.
        ReviewAnswers(books_, admission_, flow_).reopen(review);
      }
      ++swept.answered;
      --left;
    }
  }
  if (left > 0) {
    for (const Review& review : rows_.due_notices(now_, left)) {
      // An answer that became effective just now may have superseded this review.
      const std::optional<Review> now_is = rows_.review(review.id);
      if (!now_is || now_is->status != ReviewStatus::open) continue;
      ReviewNotices(books_, admission_, flow_).give_notice(*now_is);
      ++swept.noticed;
      --left;
    }
  }
  for (const JobId id : rows_.overdue_jobs(now_)) {
    TouchedJob& touched = books_.touch_owner(id);
    Job& job = *touched.job;
    // This sweep may have ended it already, which its row does not show yet.
    if (job.cancelled || job.has_ended() || job.paused != PauseCause::none) continue;
    exhaust(job, BudgetKind::deadline, now_, touched.events);
    ++swept.ended_jobs;
  }
  swept.more = left == 0;
  swept.next_due = rows_.next_due(now_);
  return swept;
}

void Sweep::interrupt(const Task& running) {
  const TouchedJob& touched = books_.touch_owner(running.job);
  Attempt closed;
  closed.result = AttemptResult::interrupted;
  closed.started_at = std::get<Running>(running.state).opened_at;
  closed.ended_at = now_;
  closed.cancelled_by = touched.job->cancelled;
  if (!closed.cancelled_by && running.item) {
    closed.cancelled_by = rows_.progress(running.item)->cancelled;
  }
  closed.attempts_cap = touched.job->budget.max_attempts_per_task;
  const StageDefinition& stage = touched.workflow->stage(running.stage());
  (void)flow_.apply(close(stage, running, std::move(closed)));
}

}  // namespace pawl::store
