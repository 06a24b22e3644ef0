/// What follows from the end of a task: dependents, children, items, job-wide stages, the job.

#include <algorithm>

#include "simulation/model.hpp"

namespace pawl::simulation {

std::vector<StageIndex> needs_of(const Workflow& workflow, StageIndex stage) {
  std::vector<StageIndex> needs;
  for (const std::string& need : workflow.stage(stage).needs) needs.push_back(*workflow.find(need));
  return needs;
}

bool is_downstream(const Workflow& workflow, StageIndex stage, StageIndex of) {
  const std::vector<StageIndex> needs = needs_of(workflow, stage);
  return std::ranges::any_of(
      needs, [&](StageIndex need) { return need == of || is_downstream(workflow, need, of); });
}

ModelTask* Model::find(TaskId id) {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : &found->second;
}

const StageDefinition& Model::stage_of(const ModelTask& task) {
  return jobs_.at(task.job).workflow.stage(pawl::stage_of(task.id));
}

std::vector<ModelTask*> Model::tasks_of(JobId job) {
  std::vector<ModelTask*> found;
  for (auto& [id, task] : tasks_) {
    if (task.job == job) found.push_back(&task);
  }
  return found;
}

std::vector<ModelTask*> Model::children_of(const ModelTask& parent) {
  std::vector<ModelTask*> found;
  for (auto& [id, task] : tasks_) {
    if (task.parent == parent.id && task.made_by == parent.expansion) found.push_back(&task);
  }
  return found;
}

ModelTask& Model::make(const ModelJob& job, ItemId item, TaskId id, TaskState state) {
  ModelTask& task = tasks_[id];
  task.id = id;
  task.job = job.id;
  task.item = item;
  put(task, state);
  return task;
}

void Model::put(ModelTask& task, TaskState state) {
  // Progress is a task that ends.
  if (has_ended(state) && !has_ended(task.state)) progress(touch(task.job));
  task.state = state;
  task.moved = true;
  if (kind_of(state) == StateKind::ready) made_ready_.push_back(task.id);
}

void Model::supersede(TaskId task) {
  for (ModelReview& review : reviews_) {
    const bool pending =
        review.status == ReviewStatus::open || review.status == ReviewStatus::answered;
    if (review.task != task || !pending) continue;
    review.status = ReviewStatus::superseded;
    review.notice_at = no_time;
    review.closed_at = now_;
  }
}

void Model::fresh_epoch(ModelTask& task, Cause cause) {
  ++task.epoch;
  task.round = 1;
  task.counts = {};
  task.cause = cause;
  task.moved = true;
}

void Model::close(ModelTask& task, const Observation& seen, std::optional<CancelCause> cancelled) {
  ModelJob& job = touch(task.job);
  const StageDefinition& stage = stage_of(task);
  const Ending end = ending_of(stage, task, seen, cancelled, job.budget.max_attempts_per_task);
  task.used = task.used + seen.usage;
  task.counts = end.counts;
  task.cause = end.cause;
  task.not_after = end.not_after;
  if (end.new_round) ++task.round;
  if (seen.has_output) task.with_output.insert(task.attempts);
  put(task, end.state);
  if (const auto* asks = std::get_if<AwaitingReview>(&task.state)) open_review(task, asks->reason);
  if (kind_of(task.state) == StateKind::expanded) {
    ++task.expansion;
    task.expanded_in = task.epoch;
    if (!seen.children.empty()) {
      // The store assigns their ids.
      std::size_t named = 0;
      TaskFilter filter{.job = task.job, .state = {}, .discarded = {}, .parent = task.id};
      for (;;) {
        const std::vector<Task> page = *rows_.tasks(filter);
        for (const Task& row : page) {
          filter.after = row.id;
          if (row.child->expansion != task.expansion || find(row.id) != nullptr) continue;
          if (named < seen.children.size() && row.child->key == seen.children[named].key) ++named;
          ModelTask& child = make(job, task.item, row.id, Ready{});
          child.parent = task.id;
          child.made_by = task.expansion;
        }
        if (page.size() < filter.limit) break;
      }
      if (named != seen.children.size()) {
        differ(this->named(task) + ": the expansion has " + std::to_string(seen.children.size()) +
               " children, the store has " + std::to_string(named) + " of them");
      }
    }
  }
}

void Model::cut_short(ModelTask& task) {
  if (kind_of(task.state) != StateKind::running) return;
  task.counts.rate_limit_waits = 0;
  task.counts.interruptions = 0;
}

bool Model::is_satisfied(const ModelTask& task) {
  if (kind_of(task.state) == StateKind::succeeded) return true;
  if (const auto* skipped = std::get_if<Skipped>(&task.state)) {
    return skipped->reason == SkipReason::by_choice;
  }
  return kind_of(task.state) == StateKind::failed &&
         stage_of(task).on_failure == OnFailure::proceed;
}

bool Model::is_broken(const ModelTask& task) {
  return has_ended(task.state) && !is_satisfied(task);
}

std::optional<CancelCause> Model::cancel_over(const ModelTask& task) {
  const ModelJob& job = jobs_.at(task.job);
  if (job.cancelled) return job.cancelled;
  if (task.item) return items_.at(task.item).cancelled;
  return std::nullopt;
}

void Model::progress(ModelJob& job) {
  job.decisions_since_progress = 0;
  job.last_progress_at = now_;
}

void Model::cancel_job(ModelJob& job, CancelCause cause) {
  if (job.cancelled) return;
  job.cancelled = cause;
  job.generation = next_stamp(job.generation, now_);
}

void Model::ended(ModelTask& task) {
  ModelJob& job = touch(task.job);
  if (task.parent) {
    child_ended(task);
    return;
  }
  const bool failed = kind_of(task.state) == StateKind::failed;
  if (failed && stage_of(task).on_failure == OnFailure::stop_job) {
    cancel_job(job, CancelCause::stop_job);
  }
  if (const auto* cancelled = std::get_if<Cancelled>(&task.state); cancelled && task.item) {
    ModelItem& item = items_.at(task.item);
    if (!item.cancelled) item.cancelled = cancelled->cause;
  }
  if (task.item) {
    follow_needs(job, task.item);
  } else {
    follow_job_wide_needs(job, false);
  }
}

/// The parent counts its children. Too many failures end it, and so does the last child. In a
/// cancelled job nothing more is decided.
void Model::child_ended(ModelTask& child) {
  ModelTask& parent = *find(child.parent);
  ModelJob& job = touch(parent.job);
  if (kind_of(parent.state) != StateKind::expanded || child.made_by != parent.expansion) return;
  Expanded counts;
  for (const ModelTask* one : children_of(parent)) {
    ++counts.children;
    if (!has_ended(one->state)) ++counts.open;
    if (kind_of(one->state) == StateKind::failed) ++counts.failed;
  }
  put(parent, counts);
  if (job.cancelled) return;
  const StageDefinition& stage = stage_of(parent);
  const Tolerance& tolerance = stage.tolerate_failures;
  const auto failed = static_cast<double>(counts.failed);
  const auto all = static_cast<double>(counts.children);
  bool too_many = false;
  if (tolerance.count) too_many = counts.failed > *tolerance.count;
  if (tolerance.percent) too_many = too_many || failed * 100.0 > *tolerance.percent * all;
  if (!tolerance.count && !tolerance.percent) too_many = counts.open == 0 && counts.failed > 0;
  if (too_many) {
    put(parent, Failed{.cause = FailCause::tolerance});
    end_children(parent, CancelCause::tolerance);
    ended(parent);
  } else if (counts.open == 0) {
    if (stage.joins || !stage.gates.empty() || stage.review == ReviewPolicy::always) {
      parent.cause = Cause::join;
      put(parent, Ready{});
    } else {
      put(parent, Succeeded{.attempt = parent.attempts, .edited_by = {}});
      ended(parent);
    }
  }
}

void Model::end_children(ModelTask& parent, CancelCause cause) {
  for (ModelTask* child : children_of(parent)) {
    if (has_ended(child->state)) continue;
    supersede(child->id);
    cut_short(*child);
    put(*child, Cancelled{cause});
  }
}

/// Repeats over all stages until nothing changes.
void Model::follow_needs(ModelJob& job, ItemId item) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < job.workflow.stage_count(); ++i) {
      const auto stage = static_cast<StageIndex>(i);
      if (job.workflow.stage(stage).scope == Scope::all) continue;
      ModelTask* row = find(task_id(item, stage));
      if (row != nullptr && kind_of(row->state) != StateKind::waiting) continue;
      const std::vector<StageIndex> needs = needs_of(job.workflow, stage);
      std::uint64_t satisfied = 0;
      bool all = true;
      bool broken = false;
      for (std::size_t need = 0; need < needs.size(); ++need) {
        const ModelTask* upstream = find(task_id(item, needs[need]));
        const bool good = upstream != nullptr && is_satisfied(*upstream);
        all = all && good;
        broken = broken || (upstream != nullptr && is_broken(*upstream));
        if (good) satisfied |= std::uint64_t{1} << need;
      }
      // Unfinished tasks of a cancelled job show as cancelled: there is nothing to give up.
      if (broken && job.cancelled) continue;
      TaskState state = Waiting{satisfied};
      if (all) state = Ready{};
      if (broken) state = Skipped{SkipReason::upstream_failed};
      if (row == nullptr ? state == TaskState{Waiting{}} : row->state == state) continue;
      if (row == nullptr) {
        make(job, item, task_id(item, stage), state);
      } else {
        put(*row, state);
      }
      changed = true;
    }
  }
}

/// A job-wide stage is ready when no item can be added any more, each item has ended the needed
/// stages in whatever way, and its job-wide needs are satisfied. A broken job-wide need breaks it
/// at once.
void Model::follow_job_wide_needs(ModelJob& job, bool may_begin) {
  if (job.cancelled || job.job_wide == 0) return;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < job.workflow.stage_count(); ++i) {
      const auto stage = static_cast<StageIndex>(i);
      if (job.workflow.stage(stage).scope != Scope::all) continue;
      const TaskId id = task_id(job.job_wide, stage);
      ModelTask* row = find(id);
      if (row != nullptr && kind_of(row->state) != StateKind::waiting) continue;
      bool is_ready = may_begin && !job.submission_open;
      bool broken = false;
      for (const StageIndex need : needs_of(job.workflow, stage)) {
        if (job.workflow.stage(need).scope == Scope::all) {
          const ModelTask* upstream = find(task_id(job.job_wide, need));
          is_ready = is_ready && upstream != nullptr && is_satisfied(*upstream);
          broken = broken || (upstream != nullptr && is_broken(*upstream));
          continue;
        }
        for (const auto& [item_id, item] : items_) {
          if (item.job != job.id) continue;
          const ModelTask* of_item = find(task_id(item_id, need));
          is_ready = is_ready && of_item != nullptr && has_ended(of_item->state);
        }
      }
      if (!is_ready && !broken) continue;
      const TaskState state =
          broken ? TaskState{Skipped{SkipReason::upstream_failed}} : TaskState{Ready{}};
      if (row == nullptr) {
        make(job, {}, id, state);
      } else {
        put(*row, state);
      }
      changed = true;
    }
  }
}

namespace {

bool is_sink(const Workflow& workflow, StageIndex stage) {
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto other = static_cast<StageIndex>(i);
    const std::vector<StageIndex> needs = needs_of(workflow, other);
    const bool is_item = workflow.stage(other).scope == Scope::item;
    if (is_item && std::ranges::count(needs, stage) > 0) return false;
  }
  return true;
}

}  // namespace

ItemState Model::state_of_item(const ModelItem& item) {
  const ModelJob& job = jobs_.at(item.job);
  bool failed = false;
  for (std::size_t i = 0; i < job.workflow.stage_count(); ++i) {
    const auto stage = static_cast<StageIndex>(i);
    if (job.workflow.stage(stage).scope == Scope::all) continue;
    const ModelTask* task = find(task_id(item.id, stage));
    // A cancelled job gives nothing up: a task without a row in the middle of the graph does not
    // matter once the end of the graph is reached.
    if (task == nullptr && job.cancelled && !is_sink(job.workflow, stage)) continue;
    if (task == nullptr || !has_ended(task->state)) return ItemState::active;
    failed = failed || kind_of(task->state) == StateKind::failed;
  }
  if (item.cancelled == CancelCause::rejected) return ItemState::rejected;
  if (item.cancelled) return ItemState::cancelled;
  return failed ? ItemState::failed : ItemState::succeeded;
}

bool Model::has_failed_too_often(const ModelJob& job) {
  std::int64_t total = 0;
  std::int64_t failed = 0;
  for (const auto& [id, item] : items_) {
    if (item.job != job.id) continue;
    ++total;
    if (state_of_item(item) == ItemState::failed) ++failed;
  }
  if (job.tolerance.count && failed > *job.tolerance.count) return true;
  return job.tolerance.percent && !job.submission_open &&
         static_cast<double>(failed) * 100.0 > *job.tolerance.percent * static_cast<double>(total);
}

/// A job is brought up to date at the end of every operation that touched it.
void Model::finish(ModelJob& job) {
  if (has_failed_too_often(job)) cancel_job(job, CancelCause::tolerance);
  follow_job_wide_needs(job, true);
  bool ends = !job.submission_open && std::ranges::none_of(items_, [&](const auto& entry) {
    return entry.second.job == job.id && state_of_item(entry.second) == ItemState::active;
  });
  for (std::size_t i = 0; i < job.workflow.stage_count(); ++i) {
    const auto stage = static_cast<StageIndex>(i);
    if (job.workflow.stage(stage).scope != Scope::all) continue;
    const ModelTask* task = find(task_id(job.job_wide, stage));
    ends = ends && task != nullptr && has_ended(task->state);
  }
  if (job.cancelled) ends = attempts_open(job.id) == 0;
  if (ends && job.ended_at == no_time) job.ended_at = now_;
  if (!ends) job.ended_at = no_time;
}

}  // namespace pawl::simulation
