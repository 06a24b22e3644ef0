/// The lease, the sweep, the view of jobs that others change, and stopping.

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "runtime/loop.hpp"

namespace pawl::runtime {

/// Beside the other calls where there are threads: a commit that waits for the store does not let
/// the lease run out. One at a time.
void Loop::renew() {
  if (!lease_.begin_renewal(clock_.now())) return;
  ask_store_on(
      options_.threads > 0 ? Desk::Line::lease : Desk::Line::commits,
      [worker = worker(), since = holds_since_](Store& store) {
        return store.renew(worker, since);
      },
      [this, worker = worker(), sent_at = lease_.sent_at()](const Status& renewed) {
        on_renewed(worker, sent_at, renewed);
      });
}

void Loop::on_renewed(WorkerId worker, Timestamp sent_at, const Status& renewed) {
  lease_.end_renewal();
  if (worker != this->worker()) return lease_.renew_at_once(clock_.now());
  if (renewed) {
    if (lease_.renewed(sent_at, clock_.now())) {
      log(LogLevel::info, "the lease is renewed");
      claimer_.want();
    }
    compare_holdings();
    if (has_unreported_limits_) want_limits_report();
    return;
  }
  if (renewed.error().code == ErrorCode::not_found) {
    on_lease_lost();
    return;
  }
  if (lease_.renewal_failed(clock_.now())) on_lease_over();
}

/// By now another worker may have been given what runs here. It is closed as interrupted; where
/// nobody was given it, that is what the store records.
void Loop::on_lease_over() {
  if (!lease_.run_out(clock_.now())) return;
  std::vector<Held*> running;
  for (auto& [id, held] : held_) {
    if (!held.closing && !held.attempt->waits_for_store) running.push_back(&held);
  }
  const std::string what = std::to_string(running.size()) + " running attempts";
  log(LogLevel::error,
      "the lease ran out and could not be renewed: another worker may take over. " +
          (options_.keep_running_past_lease ? what + " go on here all the same"
                                            : what + " are ended"));
  if (options_.keep_running_past_lease) return;
  for (Held* const held : running) ask_to_stop(*held, StopReason::lease);
}

/// We were taken for dead: everything we held has been given to others. Sign on anew. Batches keep
/// their numbers growing: one that is sent again under the new name must not be taken for another.
void Loop::on_lease_lost() {
  log(LogLevel::warning, "the lease was lost; what ran here runs elsewhere");
  held_.surrender_all();
  holdings_.clear();
  holds_since_ = no_time;
  comparison_.plan(no_time);
  if (!lease_.begin_sign_on()) return;
  ask_store([hello = hello_](Store& store) { return store.enlist(hello); },
            [this, sent_at = clock_.now()](const Result<WorkerId>& fresh) {
              if (fresh) {
                board_.set_worker(*fresh);
                commits_.set_newest_acknowledged(0);
                lease_.signed_on(sent_at);
              } else {
                lease_.sign_on_failed(clock_.now());
              }
              claimer_.want();
            });
}

/// Plans a report of what this engine leaves to others: at once, or soon after the last one, so
/// that many jobs that come one after the other cost few writes.
void Loop::want_limits_report() {
  constexpr Duration pause = std::chrono::seconds(1);
  const Timestamp now = clock_.now();
  limits_report_.plan_by(
      limits_reported_at_ == no_time ? now : std::max(now, limits_reported_at_ + pause));
}

/// If the store does not answer, the next renewal tries again.
void Loop::report_limits() {
  WorkerLimits limits = hello_.limits;
  jobs_.describe(limits);
  if (stopping_ || (limits == hello_.limits && !has_unreported_limits_)) {
    return limits_report_.plan(no_time);
  }
  if (!limits_report_.begin()) return;
  limits_reported_at_ = clock_.now();
  has_unreported_limits_ = false;
  hello_.limits = std::move(limits);
  ask_store([worker = worker(),
             limits = hello_.limits](Store& store) { return store.note_limits(worker, limits); },
            [this](const Status& noted) {
              (void)limits_report_.end();
              has_unreported_limits_ = !noted && noted.error().code == ErrorCode::unavailable;
            });
}

/// Nobody reports that a stage has become available, or is so no longer.
void Loop::look_at_availability(Timestamp now) {
  if (now < next_availability_look_) return;
  const bool was_refused = shelf_.take_unavailable();
  const bool may_change = jobs_.has_unavailable();
  if (!was_refused && !may_change) return;
  next_availability_look_ = now + std::chrono::seconds(1);
  jobs_.look_again();
  want_limits_report();
  if (was_refused) claimer_.want();
}

void Loop::sweep() {
  if (stopping_) {
    sweep_.plan(clock_.now() + options_.lease);
    return;
  }
  if (!lease_.may_judge_others(clock_.now())) {
    sweep_.plan(lease_.may_judge_again_at(clock_.now()));
    return;
  }
  if (!sweep_.begin()) return;
  sweep_.plan(clock_.now() + options_.lease / 3);
  ask_store([worker = worker()](Store& store) { return store.sweep({.self = worker}); },
            [this](const Result<Swept>& swept) { on_swept(swept); });
}

void Loop::on_swept(const Result<Swept>& swept) {
  const bool is_wanted_again = sweep_.end();
  if (!swept) return on_sweep_failed(swept.error());
  if (swept->next_due != no_time) sweep_.plan_by(swept->next_due);
  if (swept->interrupted > 0) {
    log(LogLevel::info,
        std::to_string(swept->interrupted) + " attempts of workers that are gone were taken back");
  }
  const bool changed = swept->woken + swept->interrupted + swept->answered + swept->ended_jobs > 0;
  if (changed) {
    claimer_.want();
    refresh_jobs();
    feed_.notify();
  }
  if (swept->more || is_wanted_again) sweep();
}

/// Trouble passes, and the next sweep is due soon.
void Loop::on_sweep_failed(const Error& error) {
  if (error.code == ErrorCode::corrupt) return on_damage(error);
  if (error.code == ErrorCode::unavailable) return;
  log(LogLevel::error, "could not process due retries or recover lost attempts: " + error.text());
}

/// Reads the jobs we work on once more, and the items of what we hold where a job has changed.
void Loop::refresh_jobs() {
  std::vector<std::pair<JobId, Generation>> jobs = jobs_.generations();
  std::vector<Task> held;
  for (const auto& [id, one] : held_) {
    if (one.attempt->task.item) held.push_back(one.attempt->task);
  }
  if (jobs.empty()) return;
  desk_->add_call(Desk::Line::commits,
                  [this, jobs = std::move(jobs), held = std::move(held)]() -> Desk::Message {
                    auto changed = std::make_shared<std::vector<Job>>();
                    std::set<JobId> ids;
                    for (const auto& [id, generation] : jobs) {
                      const Result<Job> job = store_->records().job(id);
                      if (!job || job->generation == generation) continue;
                      changed->push_back(*job);
                      ids.insert(id);
                    }
                    auto cancelled =
                        std::make_shared<std::vector<std::pair<TaskId, CancelCause>>>();
                    for (const Task& task : held) {
                      if (!ids.contains(task.job)) continue;
                      const Result<Item> item = store_->records().item(task.item);
                      if (item && item->cancelled)
                        cancelled->emplace_back(task.id, *item->cancelled);
                    }
                    if (changed->empty()) return nullptr;
                    return [this, changed, cancelled] { on_refreshed(*changed, *cancelled); };
                  });
}

void Loop::on_refreshed(const std::vector<Job>& jobs,
                        const std::vector<std::pair<TaskId, CancelCause>>& cancelled_items) {
  for (const Job& job : jobs) {
    refresh(job);
    if (job.has_ended()) forget_if_unused(job.id);
  }
  for (const auto& [task, cause] : cancelled_items) {
    Held* const held = held_.find(task);
    if (held == nullptr) continue;
    held->item_cancelled = cause;
    ask_to_stop(*held, StopReason::cancel);
  }
  claimer_.want();
}

void Loop::stop_now() {
  if (std::exchange(stopping_, true)) return;
  stop_deadline_ = clock_.now() + options_.grace;
  for (auto& [id, held] : held_) ask_to_stop(held, StopReason::shutdown);
}

/// When everything is given back and committed, or the store has not answered for the whole grace
/// period, the worker signs off. Then a sweep, ours or another's, does the rest.
void Loop::finish_stopping() {
  const bool is_done = held_.is_empty() && commits_.is_empty();
  const bool gave_up = clock_.now() >= stop_deadline_ + options_.grace;
  if ((!is_done && !gave_up) || claimer_.is_out()) return;
  claimer_.begin();  // nothing is claimed any more
  ask_store([worker = worker()](Store& store) { return store.retire(worker); },
            [this](const Status&) { board_.set_stopped(); });
}

}  // namespace pawl::runtime
