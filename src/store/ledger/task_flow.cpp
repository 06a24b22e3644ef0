#include "store/ledger/task_flow.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "store/ledger/review_digest.hpp"

namespace pawl::store {

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

/// Whether the item was cancelled and the worker that decided did not know it: the cancel may have
/// come after the attempt was opened and before its worker read the job. A job of the first
/// generation has not seen any.
bool TaskFlow::overlooks_cancel(const Job& job, const Step& step) {
  if (job.generation == 1 || !step.closed || step.closed->cancelled_by || !step.next.item) {
    return false;
  }
  const std::optional<ItemProgress> progress = rows_.progress(step.next.item);
  return progress && progress->cancelled;
}

StepAnswer TaskFlow::apply(const Step& step) {
  TouchedJob* touched = books_.touch(step.next.job);
  if (touched == nullptr) return {.outcome = StepOutcome::fenced, .opened = {}};
  Job& job = *touched->job;
  if (step.generation != 0 && (step.generation != job.generation || overlooks_cancel(job, step))) {
    return {.outcome = StepOutcome::stale, .opened = {}};
  }
  Applying applying{
      .step = step, .change = {.touched = *touched, .events = step.events}, .answer = {}};
  std::vector<Event>& events = applying.change.events;
  StepAnswer& answer = applying.answer;
  // Charge first: the budget check of what opens now includes this attempt. If the step turns out
  // to be fenced, the charge is taken back.
  const bool is_no_progress = step.is_decision && !has_ended(step.next.state);
  const auto charge = [&](std::int64_t times) {
    if (is_no_progress) job.decisions_since_progress += times;
    if (!step.closed) return;
    job.used.cost_microusd += times * step.closed->usage.cost_microusd;
    job.used.tokens += times * step.closed->usage.tokens;
  };
  const auto fenced = [&] {
    charge(-1);
    answer.outcome = StepOutcome::fenced;
    return answer;
  };
  charge(1);
  const bool wants_opening = step.next.kind() == StateKind::ready && step.open_max > 0 &&
                             admission_.is_present(step.open_for);
  // A budget that no longer allows the opening ends or pauses the job; a late step may not do that.
  if (wants_opening && may_open(job, now_).budget != BudgetKind::none) {
    const std::optional<Task> row = rows_.task(step.next.id);
    if (!row || row->version != step.expected) return fenced();
  }
  std::optional<Task> opened;
  if (wants_opening && admission_.may_open_after(*touched, step)) {
    const StageDefinition& stage = touched->workflow->stage(step.next.stage());
    opened = open(stage, step.next, step.open_for, now_, events);
  } else if (step.was == StateKind::ready && step.next.kind() == StateKind::ready) {
    answer.made_ready = true;  // the row does not change
    return answer;
  }
  Task row = opened ? *std::move(opened) : step.next;
  // A task that is opened at once has been Ready in between.
  require(may_move(step.was, step.next.kind()), "a step makes a move the table does not have");
  if (!books_.replace(row, step.expected)) return fenced();
  admission_.leave(*touched, row, step.was);
  admission_.enter(*touched, row);
  if (row.kind() == StateKind::running) answer.opened.push_back(row);
  if (row.kind() == StateKind::ready) answer.made_ready = true;

  if (step.closed) rows_.insert_attempt(*step.closed);
  if (!step.children.empty()) create_children(*touched, row, step.children);
  if (step.review) open_review(*touched, row, *step.review);
  if (step.stops_job && !job.cancelled) {
    job.cancelled = CancelCause::stop_job;
    books_.mark_changed(job);
    touched->events.push_back(Event{.type = EventType::job_cancelled,
                                    .code = static_cast<std::int32_t>(CancelCause::stop_job)});
  }
  if (has_ended(row.state)) end(applying, row, step.flow);
  books_.log(job.id, events);
  return std::move(answer);
}

void TaskFlow::record_end(TouchedJob& touched, const Task& task, Flow flow,
                          std::vector<Event> events) {
  const Step opens_nothing;
  Applying applying{.step = opens_nothing,
                    .change = {.touched = touched, .events = std::move(events)},
                    .answer = {}};
  end(applying, task, flow);
  books_.log(task.job, applying.change.events);
}

void TaskFlow::write_step(TouchedJob& touched, Step step, const Task& before) {
  require(may_move(before.kind(), step.next.kind()),
          "a rerun makes a move the table does not have");
  books_.rewrite(step.next, before);
  const auto* failed = std::get_if<Failed>(&before.state);
  admission_.leave(touched, before, before.kind(), failed != nullptr && failed->discarded);
  admission_.enter(touched, step.next);
  if (step.closed) rows_.insert_attempt(*step.closed);
}

void TaskFlow::end(Applying& applying, const Task& task, Flow flow) {
  TouchedJob& touched = applying.change.touched;
  if (task.child) {
    count_ended_child(touched, task);
    return;
  }
  const StagePlan& plan = touched.workflow->plan(task.stage());
  if (flow == Flow::satisfied && task.item) {
    for (const StageIndex dependent : plan.dependents) release(applying, task, dependent);
  }
  // In a cancelled job every unfinished task shows as cancelled; there is nothing to give up.
  if (flow == Flow::broken && !touched.job->cancelled) give_up_after(applying, task);
  if (!task.item) return;
  ItemChange& change = applying.change;
  if (plan.is_sink) ++change.sinks_ended;
  if (task.kind() == StateKind::failed) ++change.failed;
  if (const auto* cancelled = std::get_if<Cancelled>(&task.state)) {
    change.cancelled = cancelled->cause;
    change.look_closely = true;
  }
  settle(change, task.item);
}

/// Gives up every stage that needs the output of the failed task, directly or through others.
void TaskFlow::give_up_after(Applying& applying, const Task& task) {
  const Workflow& workflow = *applying.change.touched.workflow;
  const TaskState skipped = Skipped{SkipReason::upstream_failed};
  if (task.item) {
    for (const StageIndex stage : workflow.plan(task.stage()).downstream) {
      give_up(applying.change, task, stage, skipped);
    }
    return;
  }
  std::vector<StageIndex> given_up{task.stage()};
  for (const StageIndex stage : workflow.topological_order()) {
    const bool needs_one = std::ranges::any_of(workflow.plan(stage).needs, [&](StageIndex need) {
      return std::ranges::count(given_up, need) > 0;
    });
    if (!needs_one) continue;
    give_up(applying.change, task, stage, skipped);
    given_up.push_back(stage);
  }
}

/// Tasks that never became ready get their row, so that a job-wide stage knows that the item has
/// ended.
void TaskFlow::end_item(TouchedJob& touched, ItemId item, CancelCause cause) {
  std::optional<ItemProgress> progress = rows_.progress(item);
  require(progress && (progress->state == ItemState::active || progress->cancelled),
          "only an item that is active, or that a limit stopped, can be ended");
  progress->cancelled = cause;
  rows_.put_progress(item, *progress);
  books_.mark_changed(*touched.job);

  ItemChange change{.touched = touched, .events = {}, .look_closely = true};
  const std::vector<Task> tasks = rows_.tasks_of(item);
  require(!tasks.empty(), "an active item has no task");
  for (const Task& task : tasks) {
    if (has_ended(task.state) || task.kind() == StateKind::running) continue;
    supersede_review(task.id);
    const Step step = cancel(task, cause);
    write_step(touched, step, task);
    change.events.insert(change.events.end(), step.events.begin(), step.events.end());
    if (task.kind() == StateKind::expanded) end_children(touched, task, cause);
    if (touched.workflow->plan(task.stage()).is_sink) ++change.sinks_ended;
  }
  for (const StageIndex stage : touched.workflow->topological_order()) {
    if (touched.workflow->stage(stage).scope == Scope::all) continue;
    give_up(change, tasks.front(), stage, Cancelled{cause});
  }
  settle(change, item);
  books_.log(touched.job->id, change.events);
}

void TaskFlow::open_if_allowed(Applying& applying, Task& ready) {
  TouchedJob& touched = applying.change.touched;
  const Step& step = applying.step;
  const StageDefinition& stage = touched.workflow->stage(ready.stage());
  const bool is_wanted = applying.answer.opened.size() < step.open_max && !stage.conditional &&
                         admission_.is_present(step.open_for);
  if (!is_wanted || !admission_.may_open(touched, ready.stage())) {
    applying.answer.made_ready = true;
    return;
  }
  ready = open(stage, std::move(ready), step.open_for, now_, applying.change.events);
}

void TaskFlow::release(Applying& applying, const Task& from, StageIndex dependent) {
  TouchedJob& touched = applying.change.touched;
  const StagePlan& plan = touched.workflow->plan(dependent);
  const TaskId id = task_id(ordinal_of(from.id), dependent);
  const std::uint64_t bit = need_bit(plan, from.stage());
  const auto has_entered = [&](const Task& row) {
    admission_.enter(touched, row);
    if (row.kind() == StateKind::running) applying.answer.opened.push_back(row);
  };

  // Almost always: its only need, and the first time. Nothing has to be read.
  if (plan.full_mask == bit) {
    std::vector<Event>& events = applying.change.events;
    const std::size_t events_before = events.size();
    Task fresh = fresh_task(from, id, Ready{});
    open_if_allowed(applying, fresh);
    if (books_.try_insert(fresh)) {
      has_entered(fresh);
      return;
    }
    events.resize(events_before);
  }
  std::optional<Task> row = rows_.task(id);
  if (!row) {
    Task fresh = fresh_task(from, id, Waiting{bit});
    books_.insert(fresh);
    has_entered(fresh);
    return;
  }
  auto* waiting = std::get_if<Waiting>(&row->state);
  if (waiting == nullptr) {
    // Given up after another need failed, or cancelled with its item: this branch ends here.
    require(has_ended(row->state), "a need was satisfied of a task that already runs");
    applying.change.look_closely = true;
    return;
  }
  const Version expected = row->version;
  waiting->satisfied |= bit;
  if (waiting->satisfied == plan.full_mask) {
    row->state = Ready{};
    open_if_allowed(applying, *row);
  }
  require(books_.replace(*row, expected), "a row changed inside its own transaction");
  admission_.leave(touched, *row, StateKind::waiting);
  has_entered(*row);
}

void TaskFlow::give_up(ItemChange& change, const Task& from, StageIndex stage,
                       const TaskState& as) {
  const TaskId id = task_id(ordinal_of(from.id), stage);
  std::optional<Task> row = rows_.task(id);
  Task ended_row;
  if (!row) {
    ended_row = fresh_task(from, id, as);
    books_.insert(ended_row);
  } else {
    if (row->kind() != StateKind::waiting) return;
    ended_row = *row;
    ended_row.state = as;
    books_.rewrite(ended_row, *row);
    admission_.leave(change.touched, ended_row, StateKind::waiting);
  }
  admission_.enter(change.touched, ended_row);
  Event event{.item = from.item, .task = id};
  if (const auto* skipped = std::get_if<Skipped>(&as)) {
    event.type = EventType::task_skipped;
    event.code = static_cast<std::int32_t>(skipped->reason);
    change.events.push_back(event);
  } else if (const auto* cancelled = std::get_if<Cancelled>(&as)) {
    event.type = EventType::task_cancelled;
    event.code = static_cast<std::int32_t>(cancelled->cause);
    change.events.push_back(event);
  }
  if (from.item && change.touched.workflow->plan(stage).is_sink) ++change.sinks_ended;
  change.look_closely = true;
}

/// Without failures it is enough to count the sinks. Otherwise a branch may still run although
/// every sink has been given up, so each task is examined.
void TaskFlow::settle(ItemChange& change, ItemId item) {
  if (change.sinks_ended == 0 && change.failed == 0 && !change.look_closely) return;
  std::optional<ItemProgress> progress = rows_.progress(item);
  require(progress.has_value(), "a task ended whose item does not exist");
  require(progress->sinks_left >= change.sinks_ended, "more sinks ended than an item has");
  progress->sinks_left -= change.sinks_ended;
  progress->failed_tasks += change.failed;
  if (change.cancelled && !progress->cancelled) progress->cancelled = change.cancelled;

  if (progress->state == ItemState::active && progress->sinks_left == 0) {
    bool settled = true;
    if (progress->failed_tasks > 0 || progress->cancelled || change.look_closely) {
      const std::vector<Task> tasks = rows_.tasks_of(item);
      settled = std::ranges::all_of(tasks, [](const Task& task) { return has_ended(task.state); });
    }
    if (settled) {
      progress->state = settled_state(progress->cancelled, progress->failed_tasks);
      change.touched.job->items.count(progress->state);
      change.events.push_back(Event{.type = EventType::item_settled,
                                    .item = item,
                                    .code = static_cast<std::int32_t>(progress->state)});
    }
  }
  rows_.put_progress(item, *progress);
}

void TaskFlow::create_children(TouchedJob& touched, const Task& parent,
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
    books_.insert(child);
    admission_.enter(touched, child);
  }
}

/// Counts a child's end in its parent. A child of an older expansion is not counted: its parent has
/// moved on.
void TaskFlow::count_ended_child(TouchedJob& touched, const Task& child) {
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
  // In a cancelled job the children were cancelled, which does not make their parent succeed.
  if (!touched.job->cancelled && (counts.open == 0 || too_many)) {
    (void)apply(children_ended(stage, *parent, counts, now_));
    if (counts.open > 0) end_children(touched, *parent, CancelCause::tolerance);
    return;
  }
  Task next = *parent;
  next.state = counts;
  books_.rewrite(next, *parent);
}

void TaskFlow::end_children(TouchedJob& touched, const Task& parent, CancelCause cause) {
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
    books_.rewrite(step.next, child);
    admission_.leave(touched, step.next, child.kind());
    admission_.enter(touched, step.next);
    if (step.closed) rows_.insert_attempt(*step.closed);
    events.insert(events.end(), step.events.begin(), step.events.end());
  }
  books_.log(parent.job, events);
}

Json TaskFlow::input_of(const TouchedJob& touched, const Task& task) {
  if (task.child) return task.child->data;
  return task.item ? rows_.brief(task.item).data : touched.job->params;
}

void TaskFlow::open_review(TouchedJob& touched, const Task& task, Review draft) {
  const Json input = input_of(touched, task);
  draft.job = task.job;
  draft.item = task.item;
  draft.task = task.id;
  draft.epoch = task.epoch;
  draft.opened_at = now_;
  draft.status = ReviewStatus::open;
  apply_rules(touched.workflow->stage(task.stage()).review_rules, draft, now_);
  draft.digest = review_digest(rows_.attempts(task.id), input);
  (void)rows_.insert_review(draft);
}

void TaskFlow::supersede_review(TaskId task) {
  std::optional<Review> review = rows_.pending_review(task);
  if (!review) return;
  review->status = ReviewStatus::superseded;
  review->notice_at = no_time;
  review->closed_at = now_;
  rows_.put_review(*review);
}

void TaskFlow::bring_up_to_date(TouchedJob& touched) {
  // Releasing a job-wide stage changes the counters that the next one is judged by.
  for (;;) {
    const std::vector<StageIndex> ready =
        advance(*touched.job, *touched.workflow, now_, touched.events);
    if (ready.empty()) break;
    for (const StageIndex stage : ready) release_job_wide(touched, stage);
  }
}

void TaskFlow::release_job_wide(TouchedJob& touched, StageIndex stage) {
  const Job& job = *touched.job;
  const TaskId id = task_id(job.reduce_ordinal, stage);
  std::optional<Task> row = rows_.task(id);
  if (!row) {
    const LaneId base = rows_.lane_base(job.id, "", touched.workflow->stage_count());
    Task fresh{.id = id,
               .job = job.id,
               .lane = LaneId{base.value() + static_cast<std::int64_t>(stage)},
               .state = Ready{}};
    books_.insert(fresh);
    admission_.enter(touched, fresh);
    return;
  }
  require(row->kind() == StateKind::waiting, "a job-wide task became ready twice");
  const Version expected = row->version;
  row->state = Ready{};
  require(books_.replace(*row, expected), "a row changed inside its own transaction");
  admission_.leave(touched, *row, StateKind::waiting);
  admission_.enter(touched, *row);
}

}  // namespace pawl::store
