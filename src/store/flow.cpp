/// What the end of one task means for others: dependents released or given up, children created
/// and counted, questions opened.

#include <algorithm>
#include <string>
#include <utility>

#include "store/ledger.hpp"
#include "store/review_digest.hpp"

namespace pawl {

namespace {

Task fresh_task(const Task& from, TaskId id, const TaskState& state) {
  const std::int64_t lane_of_first_stage =
      from.lane.value() - static_cast<std::int64_t>(from.stage());
  return Task{.id = id,
              .job = from.job,
              .item = from.item,
              .lane = LaneId{lane_of_first_stage + static_cast<std::int64_t>(stage_of(id))},
              .state = state};
}

std::uint64_t need_bit(const StagePlan& dependent, StageIndex need) {
  const auto place = std::ranges::find(dependent.needs, need);
  require(place != dependent.needs.end(), "a dependent does not need the stage that releases it");
  return std::uint64_t{1} << (place - dependent.needs.begin());
}

}  // namespace

void Ledger::ended(Touched& touched, const Task& task, Flow flow, const Step& step,
                   std::vector<Event>& events, StepAnswer& answer) {
  if (task.child) {
    child_ended(touched, task);
    return;
  }
  const Workflow& workflow = *touched.workflow;
  ItemChange change;
  if (flow == Flow::satisfied && task.item) {
    for (const StageIndex dependent : workflow.plan(task.stage()).dependents) {
      release(touched, task, dependent, step, events, answer, change);
    }
  }
  if (flow == Flow::broken) {
    // In a cancelled job everything unfinished shows as cancelled; there is nothing to give up.
    if (task.item && !touched.job->cancelled) {
      for (const StageIndex stage : workflow.plan(task.stage()).downstream) {
        give_up(touched, task, stage, Skipped{SkipReason::upstream_failed}, events, change);
      }
    }
    if (!task.item && !touched.job->cancelled) {
      std::vector<StageIndex> given_up{task.stage()};
      for (const StageIndex stage : workflow.topological_order()) {
        const bool needs_one = std::ranges::any_of(
            workflow.plan(stage).needs,
            [&](StageIndex need) { return std::ranges::count(given_up, need) > 0; });
        if (!needs_one) continue;
        give_up(touched, task, stage, Skipped{SkipReason::upstream_failed}, events, change);
        given_up.push_back(stage);
      }
    }
  }
  if (!task.item) return;
  if (workflow.plan(task.stage()).is_sink) ++change.sinks_ended;
  if (task.kind() == StateKind::failed) ++change.failed;
  if (const auto* cancelled = std::get_if<Cancelled>(&task.state)) {
    change.cancelled = cancelled->cause;
    change.look_closely = true;
  }
  settle(touched, task.item, change, events);
}

void Ledger::open_if_allowed(Touched& touched, Task& ready, const Step& step,
                             std::vector<Event>& events, StepAnswer& answer) {
  const StageDefinition& stage = touched.workflow->stage(ready.stage());
  const bool wanted =
      answer.opened.size() < step.open_max && !stage.conditional && is_present(step.open_for);
  if (!wanted || !may_open_now(touched, ready.stage())) {
    answer.made_ready = true;
    return;
  }
  ready = open(stage, std::move(ready), step.open_for, now_, events);
}

void Ledger::release(Touched& touched, const Task& from, StageIndex dependent, const Step& step,
                     std::vector<Event>& events, StepAnswer& answer, ItemChange& change) {
  const StagePlan& plan = touched.workflow->plan(dependent);
  const TaskId id = task_id(ordinal_of(from.id), dependent);
  const std::uint64_t bit = need_bit(plan, from.stage());
  const auto has_entered = [&](const Task& row) {
    enter(touched, row);
    if (row.kind() == StateKind::running) answer.opened.push_back(row);
  };

  // Almost always: its only need, and the first time. Nothing has to be read.
  if (plan.full_mask == bit) {
    const std::size_t events_before = events.size();
    Task fresh = fresh_task(from, id, Ready{});
    open_if_allowed(touched, fresh, step, events, answer);
    if (try_insert(fresh)) {
      has_entered(fresh);
      return;
    }
    events.resize(events_before);
  }
  std::optional<Task> row = rows_.task(id);
  if (!row) {
    Task fresh = fresh_task(from, id, Waiting{bit});
    insert(fresh);
    has_entered(fresh);
    return;
  }
  auto* waiting = std::get_if<Waiting>(&row->state);
  if (waiting == nullptr) {
    // Given up after another need failed, or cancelled with its item: this branch ends here.
    require(has_ended(row->state), "a need was satisfied of a task that already runs");
    change.look_closely = true;
    return;
  }
  const Version expected = row->version;
  waiting->satisfied |= bit;
  if (waiting->satisfied == plan.full_mask) {
    row->state = Ready{};
    open_if_allowed(touched, *row, step, events, answer);
  }
  require(replace(*row, expected), "a row changed inside its own transaction");
  leave(touched, *row, StateKind::waiting);
  has_entered(*row);
}

/// Ends a stage that will never run: a row is made for it, so that every count stays a sum of rows.
void Ledger::give_up(Touched& touched, const Task& from, StageIndex stage, const TaskState& as,
                     std::vector<Event>& events, ItemChange& change) {
  const TaskId id = task_id(ordinal_of(from.id), stage);
  std::optional<Task> row = rows_.task(id);
  Task ended_row;
  if (!row) {
    ended_row = fresh_task(from, id, as);
    insert(ended_row);
  } else {
    if (row->kind() != StateKind::waiting) return;
    ended_row = *row;
    ended_row.state = as;
    rewrite(ended_row, *row);
    leave(touched, ended_row, StateKind::waiting);
  }
  enter(touched, ended_row);
  if (const auto* skipped = std::get_if<Skipped>(&as)) {
    events.push_back(Event{.type = EventType::task_skipped,
                           .item = from.item,
                           .task = id,
                           .code = static_cast<std::int32_t>(skipped->reason)});
  } else if (const auto* cancelled = std::get_if<Cancelled>(&as)) {
    events.push_back(Event{.type = EventType::task_cancelled,
                           .item = from.item,
                           .task = id,
                           .code = static_cast<std::int32_t>(cancelled->cause)});
  }
  if (from.item && touched.workflow->plan(stage).is_sink) ++change.sinks_ended;
  change.look_closely = true;
}

void Ledger::create_children(Touched& touched, const Task& parent,
                             std::span<const NewChild> children) {
  const std::int64_t first = rows_.take_ordinals(static_cast<std::int64_t>(children.size()));
  for (std::size_t i = 0; i < children.size(); ++i) {
    Task child{.id = task_id(first + static_cast<std::int64_t>(i), parent.stage()),
               .job = parent.job,
               .item = parent.item,
               .lane = parent.lane,
               .state = Ready{}};
    child.child = ChildPart{.parent = parent.id,
                            .expansion = parent.expansion,
                            .key = children[i].key,
                            .data = children[i].data};
    insert(child);
    enter(touched, child);
  }
}

/// Counts a child's end in its parent. A child of an expansion that is no longer current is not
/// counted: its parent has moved on.
void Ledger::child_ended(Touched& touched, const Task& child) {
  const std::optional<Task> parent = rows_.task(child.child->parent);
  require(parent.has_value(), "a child has no parent");
  const auto* expanded = std::get_if<Expanded>(&parent->state);
  if (expanded == nullptr || parent->expansion != child.child->expansion) return;

  Expanded counts = *expanded;
  --counts.open;
  if (child.kind() == StateKind::failed) ++counts.failed;
  const StageDefinition& stage = touched.workflow->stage(parent->stage());
  const bool too_many = stage.tolerate_failures.is_set() &&
                        stage.tolerate_failures.is_exceeded(counts.failed, counts.children, true);
  // In a cancelled job the children were cancelled, which makes no parent of them succeed.
  if (!touched.job->cancelled && (counts.open == 0 || too_many)) {
    (void)apply(children_ended(stage, *parent, counts, now_));
    if (counts.open > 0) end_children(touched, *parent, CancelCause::tolerance);
    return;
  }
  Task next = *parent;
  next.state = counts;
  rewrite(next, *parent);
}

/// Cancels the children of a parent that no longer waits for them. A running one is fenced: its
/// attempt ends here, for the parent has ended and nothing may go on below it.
void Ledger::end_children(Touched& touched, const Task& parent, CancelCause cause) {
  const StageDefinition& stage = touched.workflow->stage(parent.stage());
  const auto ending = [&](const Task& child) {
    if (child.kind() != StateKind::running) return cancel(child, cause);
    Attempt closed;
    closed.result = AttemptResult::interrupted;
    closed.ended_at = now_;
    closed.cancelled_by = cause;
    closed.graceful = true;
    return close(stage, child, std::move(closed));
  };
  std::vector<Event> events;
  for (const Task& child : rows_.children_of(parent.id, parent.expansion)) {
    if (has_ended(child.state)) continue;
    supersede_review(child.id);
    Step step = ending(child);
    rewrite(step.next, child);
    leave(touched, step.next, child.kind());
    enter(touched, step.next);
    if (step.closed) rows_.insert_attempt(*step.closed);
    events.insert(events.end(), step.events.begin(), step.events.end());
  }
  log(parent.job, events);
}

void Ledger::open_review(Touched& touched, const Task& task, Review draft) {
  const Json input = task.child  ? task.child->data
                     : task.item ? rows_.brief(task.item).data
                                 : touched.job->params;
  draft.job = task.job;
  draft.item = task.item;
  draft.task = task.id;
  draft.epoch = task.epoch;
  draft.opened_at = now_;
  draft.status = ReviewStatus::open;
  draft.digest = review_digest(rows_.attempts(task.id), input);
  (void)rows_.insert_review(draft);
}

void Ledger::supersede_review(TaskId task) {
  std::optional<Review> review = rows_.pending_review(task);
  if (!review) return;
  review->status = ReviewStatus::superseded;
  review->closed_at = now_;
  rows_.put_review(*review);
}

void Ledger::release_job_wide(Touched& touched, StageIndex stage) {
  const Job& job = *touched.job;
  const TaskId id = task_id(job.reduce_ordinal, stage);
  std::optional<Task> row = rows_.task(id);
  if (!row) {
    const LaneId base = rows_.lane_base(job.id, "", touched.workflow->stage_count());
    Task fresh{.id = id,
               .job = job.id,
               .lane = LaneId{base.value() + static_cast<std::int64_t>(stage)},
               .state = Ready{}};
    insert(fresh);
    enter(touched, fresh);
    return;
  }
  require(row->kind() == StateKind::waiting, "a job-wide task became ready twice");
  const Version expected = row->version;
  row->state = Ready{};
  require(replace(*row, expected), "a row changed inside its own transaction");
  leave(touched, *row, StateKind::waiting);
  enter(touched, *row);
}

}  // namespace pawl
