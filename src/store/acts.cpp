/// What operators do to jobs, items and dead letters.

#include <string>
#include <variant>

#include "pawl/store/arrival.hpp"
#include "store/ledger.hpp"
#include "store/no_such.hpp"

namespace pawl {

namespace {

std::string named(JobId job) { return "job " + std::to_string(job.value()); }

std::string_view used_up(BudgetKind budget) {
  switch (budget) {
    case BudgetKind::none:
      return "nothing";
    case BudgetKind::total_attempts:
      return "its total attempts";
    case BudgetKind::deadline:
      return "its deadline";
    case BudgetKind::no_progress:
      return "its no-progress limit";
    case BudgetKind::cost:
      return "its cost budget";
    case BudgetKind::tokens:
      return "its token budget";
  }
  return "a budget";
}

std::unexpected<Error> budget_refusal(const Job& job, BudgetKind budget) {
  return fail(
      ErrorCode::refused, named(job.id) + " has used up " + std::string(used_up(budget)),
      "raise the budget (SetBudget, or `pawl job budget " + std::to_string(job.id.value()) + "`)");
}

}  // namespace

Result<Job> Ledger::act(const Act& act) {
  if (const Status may = may_act(act); !may) return std::unexpected(may.error());
  return std::visit([this](const auto& one) { return carry_out(one); }, act);
}

Status Ledger::may_go_back(const Touched& touched) const {
  if (touched.job->cancelled) {
    return fail(ErrorCode::refused, named(touched.job->id) + " was cancelled or ended by a limit",
                "submit a new job");
  }
  Job as_if_running = *touched.job;
  as_if_running.paused = PauseCause::none;
  as_if_running.ended_at = no_time;
  as_if_running.last_progress_at = now_;
  as_if_running.decisions_since_progress = 0;
  const MayOpen may = may_open(as_if_running, now_);
  if (!may.yes && may.budget != BudgetKind::none) return budget_refusal(*touched.job, may.budget);
  return {};
}

Result<Job> Ledger::carry_out(const CancelJob& act) {
  Touched* touched = touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (const auto arriving = arrival_of(job)) return abandon(*touched, *arriving, act.cause);
  if (job.has_ended()) return fail(ErrorCode::refused, named(act.job) + " has already ended");
  if (!job.cancelled) {
    job.cancelled = act.cause;
    has_changed(job);
    touched->events.push_back(
        Event{.type = EventType::job_cancelled, .code = static_cast<std::int32_t>(act.cause)});
  }
  return job;
}

Result<Job> Ledger::carry_out(const PauseJob& act) {
  Touched* touched = touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (job.has_ended() || job.cancelled) {
    return fail(ErrorCode::refused, named(act.job) + " has already ended");
  }
  if (job.paused == PauseCause::none) {
    job.paused = PauseCause::requested;
    has_changed(job);
    touched->events.push_back(Event{.type = EventType::job_paused,
                                    .code = static_cast<std::int32_t>(PauseCause::requested)});
  }
  return job;
}

Result<Job> Ledger::carry_out(const ResumeJob& act) {
  Touched* touched = touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (job.paused == PauseCause::none) return job;
  if (job.has_ended()) return fail(ErrorCode::refused, named(act.job) + " has already ended");
  if (const Status may = may_go_back(*touched); !may) return std::unexpected(may.error());
  job.paused = PauseCause::none;
  job.last_progress_at = now_;
  job.decisions_since_progress = 0;
  has_changed(job);
  touched->events.push_back(Event{.type = EventType::job_resumed});
  return job;
}

Result<Job> Ledger::carry_out(const SetBudget& act) {
  Touched* touched = touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  job.budget = act.budget;
  job.deadline_at = act.budget.deadline ? job.submitted_at + *act.budget.deadline : no_time;
  has_changed(job);
  const bool a_budget_paused_it =
      job.paused != PauseCause::none && job.paused != PauseCause::requested && !job.has_ended();
  if (a_budget_paused_it && may_go_back(*touched)) return carry_out(ResumeJob{act.job});
  return job;
}

Result<Job> Ledger::carry_out(const ReopenSubmission& act) {
  Touched* touched = touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (job.has_ended() || job.cancelled) {
    return fail(ErrorCode::refused, named(act.job) + " has already ended");
  }
  job.submission_open = true;
  rows_.set_submission_pass(job.id, rows_.submission_pass(job.id) + 1);
  return job;
}

/// Every task that is not running ends now, and those that never came to be ready get their row, so
/// that a job-wide stage knows the item is through. What runs is asked to stop.
Result<Job> Ledger::carry_out(const CancelItem& act) {
  std::optional<ItemProgress> progress = rows_.progress(act.item);
  if (!progress) return no_such(act.item);
  Touched* touched = touch(progress->job);
  if (progress->state != ItemState::active) {
    return fail(ErrorCode::refused,
                "item " + std::to_string(act.item.value()) + " has already settled");
  }
  if (progress->cancelled) return *touched->job;
  progress->cancelled = CancelCause::requested;
  rows_.put_progress(act.item, *progress);
  has_changed(*touched->job);

  std::vector<Event> events;
  ItemChange change{.look_closely = true};
  const std::vector<Task> tasks = rows_.tasks_of(act.item);
  require(!tasks.empty(), "an active item has no task");
  for (const Task& task : tasks) {
    if (has_ended(task.state) || task.kind() == StateKind::running) continue;
    supersede_review(task.id);
    const Step step = cancel(task, CancelCause::requested);
    write_step(*touched, step, task);
    events.insert(events.end(), step.events.begin(), step.events.end());
    if (task.kind() == StateKind::expanded) end_children(*touched, task, CancelCause::requested);
    if (touched->workflow->plan(task.stage()).is_sink) ++change.sinks_ended;
  }
  for (const StageIndex stage : touched->workflow->topological_order()) {
    if (touched->workflow->stage(stage).scope == Scope::all) continue;
    give_up(*touched, tasks.front(), stage, Cancelled{CancelCause::requested}, events, change);
  }
  settle(*touched, act.item, change, events);
  log(touched->job->id, events);
  return *touched->job;
}

Result<Job> Ledger::carry_out(const Rerun& act) {
  const std::optional<Task> task = rows_.task(act.task);
  if (!task) return no_such(act.task);
  if (act.expected != 0 && act.expected != task->version) {
    return fail(ErrorCode::conflict,
                "task " + std::to_string(act.task.value()) + " has moved on: somebody was faster");
  }
  Touched* touched = touch(task->job);
  std::optional<Feedback> feedback;
  if (!act.note.empty()) feedback = Feedback{.summary = act.note, .criteria = {}, .guidance = {}};
  if (const Status gone = go_back(*touched, *task, act.cause, feedback); !gone) {
    return std::unexpected(gone.error());
  }
  return *touched->job;
}

Result<Job> Ledger::carry_out(const DiscardDeadLetter& act) {
  const std::optional<Task> task = rows_.task(act.task);
  if (!task) return no_such(act.task);
  Touched* touched = touch(task->job);
  const auto* failed = std::get_if<Failed>(&task->state);
  if (failed == nullptr || failed->discarded) {
    return fail(ErrorCode::conflict,
                "task " + std::to_string(act.task.value()) + " is not an open dead letter");
  }
  if (act.reason.empty())
    return fail(ErrorCode::invalid, "a dead letter is discarded for a reason");
  Task next = *task;
  std::get<Failed>(next.state).discarded = true;
  rewrite(next, *task);
  --touched->job->dead_letters;
  touched->events.push_back(
      Event{.type = EventType::dead_letter_discarded,
            .item = next.item,
            .task = next.id,
            .text = act.by.empty() ? act.reason : act.by + ": " + act.reason});
  return *touched->job;
}

Result<Job> Ledger::carry_out(const PurgeItem& act) {
  const std::optional<ItemProgress> progress = rows_.progress(act.item);
  const std::string name = "item " + std::to_string(act.item.value());
  if (!progress) return fail(ErrorCode::not_found, "no " + name);
  Touched* touched = touch(progress->job);
  Job& job = *touched->job;
  if (!job.has_ended()) {
    return fail(ErrorCode::refused,
                name + " belongs to " + named(job.id) + ", which has not ended");
  }
  std::vector<Task> rows = rows_.tasks_of(act.item);
  for (std::size_t i = 0, own = rows.size(); i < own; ++i) {
    for (std::uint32_t expansion = 1; expansion <= rows[i].expansion; ++expansion) {
      const std::vector<Task> children = rows_.children_of(rows[i].id, expansion);
      rows.insert(rows.end(), children.begin(), children.end());
    }
  }
  for (const Task& task : rows) {
    const auto* failed = std::get_if<Failed>(&task.state);
    if (failed != nullptr && !failed->discarded) {
      return fail(ErrorCode::refused, name + " has a dead letter that nobody has dealt with",
                  "retry or discard it first");
    }
  }
  for (const Task& task : rows) {
    leave(*touched, task, task.kind(), true);
    job.attempts_opened -= task.attempts;
    for (const Attempt& attempt : rows_.attempts(task.id)) {
      job.used.cost_microusd -= attempt.usage.cost_microusd;
      job.used.tokens -= attempt.usage.tokens;
    }
  }
  --job.items.total;
  job.items.count(progress->state, -1);
  if (progress->adopted) --job.items.adopted;
  rows_.delete_item(act.item);
  touched->events.push_back(Event{.type = EventType::item_purged, .item = act.item});
  return job;
}

}  // namespace pawl
