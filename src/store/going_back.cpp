/// rerun: the one verb that goes back. Everything of it happens in one transaction.

#include <algorithm>
#include <string>

#include "store/ledger.hpp"

namespace pawl {

/// Everything that can stand in the way is asked first, so that a refusal has changed nothing.
Status Ledger::may_rerun(const Touched& touched, const Task& task) {
  if (const Status may = may_go_back(touched); !may) return may;
  const std::string stage = touched.workflow->stage(task.stage()).name;
  if (task.item) {
    const std::optional<ItemProgress> progress = rows_.progress(task.item);
    if (progress->cancelled) {
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

Status Ledger::go_back(Touched& touched, const Task& task, Cause cause,
                       const std::optional<Feedback>& feedback) {
  if (const Status may = may_rerun(touched, task); !may) return may;
  const bool children_failed = task.kind() == StateKind::failed &&
                               std::get<Failed>(task.state).cause == FailCause::tolerance;
  if (task.child) {
    rerun_children(touched, *rows_.task(task.child->parent), task.id, cause, feedback);
  } else if (children_failed) {
    rerun_children(touched, task, TaskId{}, cause, feedback);
  } else if (task.item) {
    rerun_item(touched, task, cause, feedback);
  } else {
    rerun_job_wide(touched, task, cause, feedback);
  }
  // A job that goes on makes progress from here.
  touched.job->last_progress_at = now_;
  touched.job->decisions_since_progress = 0;
  return {};
}

/// Writes one row of a rerun, with its attempt where one was open and its question where one was.
void Ledger::write_step(Touched& touched, Step step, const Task& before) {
  require(may_move(before.kind(), step.next.kind()),
          "a rerun makes a move the table does not have");
  rewrite(step.next, before);
  const auto* failed = std::get_if<Failed>(&before.state);
  leave(touched, before, before.kind(), failed != nullptr && failed->discarded);
  enter(touched, step.next);
  if (step.closed) rows_.insert_attempt(*step.closed);
}

void Ledger::rerun_item(Touched& touched, const Task& task, Cause cause,
                        const std::optional<Feedback>& feedback) {
  const std::vector<Task> tasks = rows_.tasks_of(task.item);
  std::vector<Event> events;
  for (const Step& step :
       pawl::rerun(*touched.workflow, task.stage(), tasks, cause, feedback, now_)) {
    const auto before = std::ranges::find(tasks, step.next.id, &Task::id);
    require(before != tasks.end(), "a rerun changes a task that was not given");
    supersede_review(before->id);
    if (before->expansion > 0) end_children(touched, *before, CancelCause::superseded);
    write_step(touched, step, *before);
    events.insert(events.end(), step.events.begin(), step.events.end());
  }
  recount_item(touched, task.item);
  log(task.job, events);
  reset_job_wide_after(touched, task.stage());
}

void Ledger::rerun_job_wide(Touched& touched, const Task& task, Cause cause,
                            const std::optional<Feedback>& feedback) {
  supersede_review(task.id);
  if (task.expansion > 0) end_children(touched, task, CancelCause::superseded);
  for (const Step& step :
       pawl::rerun(*touched.workflow, task.stage(), {task}, cause, feedback, now_)) {
    Step ready = step;
    // Its needs are the items', which have ended; whether they have is the job's to say.
    ready.next.state = Ready{};
    write_step(touched, ready, task);
    log(task.job, ready.events);
  }
  reset_job_wide_after(touched, task.stage());
}

/// Runs the children that are not done once more, or only one of them; the parent waits for them
/// as before. Downstream of the parent everything goes back to waiting.
void Ledger::rerun_children(Touched& touched, const Task& parent, TaskId only, Cause cause,
                            const std::optional<Feedback>& feedback) {
  Expanded counts;
  for (const Task& child : rows_.children_of(parent.id, parent.expansion)) {
    ++counts.children;
    const bool is_done = child.kind() == StateKind::succeeded || child.kind() == StateKind::skipped;
    const bool is_asked_for = only == child.id && child.kind() == StateKind::awaiting_review;
    const bool runs_again =
        is_asked_for || (has_ended(child.state) && !is_done &&
                         (!only || only == child.id || child.kind() == StateKind::cancelled));
    if (runs_again) {
      supersede_review(child.id);
      Task next = child;
      next.state = Ready{};
      next.cause = cause;
      next.feedback = feedback;
      next.counts = {};
      next.round = 1;
      ++next.epoch;
      write_step(touched, Step{.next = next}, child);
      ++counts.open;
    } else if (!has_ended(child.state)) {
      ++counts.open;
    } else if (child.kind() == StateKind::failed) {
      ++counts.failed;
    }
  }
  reset_downstream(touched, parent);
  Task next = *rows_.task(parent.id);
  const Task before = next;
  next.state = counts;
  write_step(touched, Step{.next = next}, before);
  if (parent.item) recount_item(touched, parent.item);
  reset_job_wide_after(touched, parent.stage());
}

/// Puts everything downstream of a stage back to waiting without touching the stage itself.
void Ledger::reset_downstream(Touched& touched, const Task& task) {
  if (!task.item) return;
  const std::vector<Task> tasks = rows_.tasks_of(task.item);
  for (const Step& step :
       pawl::rerun(*touched.workflow, task.stage(), tasks, Cause::manual, std::nullopt, now_)) {
    if (step.next.id == task.id) continue;
    const auto before = std::ranges::find(tasks, step.next.id, &Task::id);
    require(before != tasks.end(), "a rerun changes a task that was not given");
    supersede_review(before->id);
    if (before->expansion > 0) end_children(touched, *before, CancelCause::superseded);
    write_step(touched, step, *before);
    log(task.job, step.events);
  }
}

/// Job-wide stages that saw the old outputs, directly or through another, will run again.
void Ledger::reset_job_wide_after(Touched& touched, StageIndex stage) {
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
    supersede_review(row->id);
    if (row->expansion > 0) end_children(touched, *row, CancelCause::superseded);
    for (Step step : pawl::rerun(workflow, candidate, {*row}, Cause::manual, std::nullopt, now_)) {
      step.next.state = Waiting{};
      write_step(touched, step, *row);
      log(row->job, step.events);
    }
  }
}

/// After a rerun an item is active again; its sums are made anew from its rows.
void Ledger::recount_item(Touched& touched, ItemId item) {
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

}  // namespace pawl
