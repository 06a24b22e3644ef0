/// Runs finished work again. All of it happens in one transaction.

#include <algorithm>
#include <string>

#include "core/ending.hpp"
#include "store/ledger/verbs.hpp"

namespace pawl::store {

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

/// Says of each retry who asked for it.
void sign(std::vector<Event>& events, const std::string& by) {
  for (Event& event : events) {
    if (event.type == EventType::retry_scheduled) event.by = by;
  }
}

}  // namespace

Status Reruns::check_job(const TouchedJob& touched) const {
  const Job& job = *touched.job;
  if (!job.cancelled) return check_budget(job);
  if (!is_ended_by_limit(job)) {
    return fail(ErrorCode::refused, named(job.id) + " was cancelled", "submit a new job");
  }
  return fail(ErrorCode::refused, named(job.id) + " was ended by a limit",
              "let it go on first (ReviveJob, or `pawl job revive " +
                  std::to_string(job.id.value()) + "`)");
}

Status Reruns::check_budget(const Job& job) const {
  Job as_if_running = job;
  as_if_running.cancelled.reset();
  as_if_running.paused = PauseCause::none;
  as_if_running.ended_at = no_time;
  as_if_running.last_progress_at = now_;
  as_if_running.decisions_since_progress = 0;
  const MayOpen may = may_open(as_if_running, now_);
  if (!may.yes && may.budget != BudgetKind::none) return budget_refusal(job, may.budget);
  return {};
}

Status Reruns::check(const TouchedJob& touched, const Task& task) {
  if (const Status may = check_job(touched); !may) return may;
  const std::string stage = touched.workflow->stage(task.stage()).name;
  if (task.item) {
    const std::optional<ItemProgress> progress = rows_.progress(task.item);
    if (progress->cancelled) {
      const bool was_rejected = progress->cancelled == CancelCause::rejected;
      if (was_rejected) {
        return fail(ErrorCode::refused,
                    "the item of task '" + stage + "' was rejected by a reviewer",
                    "run it again in a new job: pawl run FILE --fresh");
      }
      return fail(ErrorCode::refused, "the item of task '" + stage + "' was cancelled");
    }
  }
  if (task.kind() == StateKind::waiting || task.kind() == StateKind::skipped) {
    const auto* skipped = std::get_if<Skipped>(&task.state);
    if (skipped == nullptr || skipped->reason == SkipReason::upstream_failed) {
      return fail(ErrorCode::refused, "stage '" + stage + "' has not run: what it needs is missing",
                  "retry the stage that failed");
    }
  }
  if (task.child) {
    const Task parent = *rows_.task(task.child->parent);
    const bool may_run_again =
        task.kind() == StateKind::failed || task.kind() == StateKind::awaiting_review;
    // What the parent has come to since it went back has nothing to do with its older children.
    const bool has_expanded_since =
        std::ranges::any_of(rows_.attempts(parent.id), [&](const Attempt& attempt) {
          return attempt.epoch == parent.epoch && attempt.result == AttemptResult::expanded;
        });
    if (!may_run_again || task.child->expansion != parent.expansion || !has_expanded_since) {
      return fail(ErrorCode::refused,
                  "only a failed child of the current expansion can be retried");
    }
    const bool parent_waits_or_ended =
        parent.kind() == StateKind::expanded || has_ended(parent.state);
    if (!parent_waits_or_ended) {
      return fail(ErrorCode::refused, "the children of '" + stage + "' are just being joined",
                  "retry when that has ended");
    }
  }
  return {};
}

Status Reruns::rerun(TouchedJob& touched, const Task& task, const RerunReason& reason) {
  if (const Status may = check(touched, task); !may) return may;
  const bool children_failed = task.kind() == StateKind::failed &&
                               std::get<Failed>(task.state).cause == FailCause::tolerance;
  if (task.child) {
    rerun_children(touched, *rows_.task(task.child->parent), task.id, reason);
  } else if (children_failed) {
    rerun_children(touched, task, TaskId{}, reason);
  } else if (task.item) {
    rerun_item(touched, task, reason);
  } else {
    rerun_job_wide(touched, task, reason);
  }
  // A job that goes on makes progress from here.
  touched.job->last_progress_at = now_;
  touched.job->decisions_since_progress = 0;
  return {};
}

/// Writes one row of a rerun, after what belonged to its last run has been given up.
void Reruns::write_rerun(TouchedJob& touched, const Step& step, const Task& before) {
  flow_.supersede_review(before.id);
  if (before.expansion > 0) flow_.end_children(touched, before, CancelCause::superseded);
  flow_.write_step(touched, step, before);
}

void Reruns::rerun_item(TouchedJob& touched, const Task& task, const RerunReason& reason) {
  const std::vector<Task> tasks = rows_.tasks_of(task.item);
  std::vector<Event> events;
  for (const Step& step :
       pawl::rerun(*touched.workflow, task.stage(), tasks, reason.cause, reason.feedback, now_)) {
    const auto before = std::ranges::find(tasks, step.next.id, &Task::id);
    require(before != tasks.end(), "a rerun changes a task that was not given");
    write_rerun(touched, step, *before);
    events.insert(events.end(), step.events.begin(), step.events.end());
  }
  sign(events, reason.by);
  recount_item(touched, task.item);
  books_.log(task.job, events);
  reset_job_wide_after(touched, task.stage());
}

void Reruns::rerun_job_wide(TouchedJob& touched, const Task& task, const RerunReason& reason) {
  for (const Step& step :
       pawl::rerun(*touched.workflow, task.stage(), {task}, reason.cause, reason.feedback, now_)) {
    Step ready = step;
    // Its needs are the items', which have ended; whether they have is the job's to say.
    ready.next.state = Ready{};
    write_rerun(touched, ready, task);
    sign(ready.events, reason.by);
    books_.log(task.job, ready.events);
  }
  reset_job_wide_after(touched, task.stage());
}

/// Runs the children that are not done once more, or only one of them; the parent waits for them
/// as before. Downstream of the parent everything goes back to waiting.
void Reruns::rerun_children(TouchedJob& touched, const Task& parent, TaskId only,
                            const RerunReason& reason) {
  Expanded counts;
  std::vector<Event> events;
  for (const Task& child : rows_.children_of(parent.id, parent.expansion)) {
    ++counts.children;
    const bool is_done = child.kind() == StateKind::succeeded || child.kind() == StateKind::skipped;
    const bool is_asked_for = only == child.id && child.kind() == StateKind::awaiting_review;
    const bool runs_again =
        is_asked_for || (has_ended(child.state) && !is_done &&
                         (!only || only == child.id || child.kind() == StateKind::cancelled));
    if (runs_again) {
      flow_.supersede_review(child.id);
      Task next = child;
      next.state = Ready{};
      next.cause = reason.cause;
      next.feedback = reason.feedback;
      next.counts = {};
      next.round = 1;
      ++next.epoch;
      flow_.write_step(touched, Step{.next = next}, child);
      events.push_back(rerun_event(touched.workflow->stage(next.stage()), next, now_));
      ++counts.open;
    } else if (!has_ended(child.state)) {
      ++counts.open;
    } else if (child.kind() == StateKind::failed) {
      ++counts.failed;
    }
  }
  sign(events, reason.by);
  books_.log(parent.job, events);
  reset_downstream(touched, parent);
  Task next = *rows_.task(parent.id);
  const Task before = next;
  next.state = counts;
  flow_.write_step(touched, Step{.next = next}, before);
  if (parent.item) recount_item(touched, parent.item);
  reset_job_wide_after(touched, parent.stage());
}

/// Puts everything downstream of a stage back to waiting without touching the stage itself.
void Reruns::reset_downstream(TouchedJob& touched, const Task& task) {
  if (!task.item) return;
  const std::vector<Task> tasks = rows_.tasks_of(task.item);
  for (const Step& step :
       pawl::rerun(*touched.workflow, task.stage(), tasks, Cause::manual, std::nullopt, now_)) {
    if (step.next.id == task.id) continue;
    const auto before = std::ranges::find(tasks, step.next.id, &Task::id);
    require(before != tasks.end(), "a rerun changes a task that was not given");
    write_rerun(touched, step, *before);
    books_.log(task.job, step.events);
  }
}

/// Job-wide stages that saw the old outputs, directly or through another, will run again.
void Reruns::reset_job_wide_after(TouchedJob& touched, StageIndex stage) {
  if (touched.job->reduce_ordinal == 0) return;
  const Workflow& workflow = *touched.workflow;
  std::vector<StageIndex> changed = workflow.plan(stage).downstream;
  changed.push_back(stage);
  for (const StageIndex candidate : workflow.topological_order()) {
    if (workflow.stage(candidate).scope != Scope::all || candidate == stage) continue;
    const bool affected = std::ranges::any_of(workflow.plan(candidate).needs, [&](StageIndex need) {
      return std::ranges::count(changed, need) > 0;
    });
    if (!affected) continue;
    changed.push_back(candidate);
    const std::optional<Task> row = rows_.task(task_id(touched.job->reduce_ordinal, candidate));
    if (!row || row->kind() == StateKind::waiting) continue;
    for (Step step : pawl::rerun(workflow, candidate, {*row}, Cause::manual, std::nullopt, now_)) {
      step.next.state = Waiting{};
      write_rerun(touched, step, *row);
      books_.log(row->job, step.events);
    }
  }
}

/// After a rerun an item is active again; its sums are made anew from its rows.
void Reruns::recount_item(TouchedJob& touched, ItemId item) {
  ItemProgress progress = *rows_.progress(item);
  touched.job->items.count(progress.state, -1);
  progress.state = ItemState::active;
  progress.sinks_left = touched.workflow->sink_count();
  progress.failed_tasks = 0;
  for (const Task& task : rows_.tasks_of(item)) {
    if (has_ended(task.state) && touched.workflow->plan(task.stage()).is_sink)
      --progress.sinks_left;
    if (task.kind() == StateKind::failed) ++progress.failed_tasks;
  }
  rows_.put_progress(item, progress);
}

}  // namespace pawl::store
