/// Operations of people on jobs, items, stages and tasks.

#include <algorithm>

#include "simulation/model.hpp"

namespace pawl::simulation {

Model::Refusal Model::carry_out(const CancelJob& act) {
  if (!jobs_.contains(act.job)) return ErrorCode::not_found;
  ModelJob& job = touch(act.job);
  if (job.ended_at != no_time) return ErrorCode::refused;
  cancel_job(job, act.cause);
  return {};
}

Model::Refusal Model::carry_out(const PauseJob& act) {
  if (!jobs_.contains(act.job)) return ErrorCode::not_found;
  ModelJob& job = touch(act.job);
  if (job.ended_at != no_time || job.cancelled) return ErrorCode::refused;
  if (job.paused != PauseCause::none) return {};
  job.paused = PauseCause::requested;
  job.generation = next_stamp(job.generation, now_);
  return {};
}

/// A job can be resumed unless it was cancelled or a budget other than lack of progress is used up:
/// resuming counts as progress.
Model::Refusal Model::may_go_on(const ModelJob& job) {
  if (job.cancelled) return ErrorCode::refused;
  ModelJob fresh = job;
  progress(fresh);
  if (used_up(fresh) != BudgetKind::none) return ErrorCode::refused;
  return {};
}

Model::Refusal Model::carry_out(const ResumeJob& act) {
  if (!jobs_.contains(act.job)) return ErrorCode::not_found;
  ModelJob& job = touch(act.job);
  if (job.cancelled) return ErrorCode::refused;
  if (job.paused == PauseCause::none) return {};
  if (job.ended_at != no_time) return ErrorCode::refused;
  if (const Refusal refusal = may_go_on(job)) return refusal;
  job.paused = PauseCause::none;
  progress(job);
  job.generation = next_stamp(job.generation, now_);
  return {};
}

bool is_limit(CancelCause cause) {
  return cause == CancelCause::tolerance || cause == CancelCause::deadline ||
         cause == CancelCause::budget;
}

/// Everything that was running when the limit ended the job is ready again, in a new epoch.
Model::Refusal Model::carry_out(const ReviveJob& act) {
  if (!jobs_.contains(act.job)) return ErrorCode::not_found;
  ModelJob& job = touch(act.job);
  if (!job.cancelled || !is_limit(*job.cancelled)) return ErrorCode::refused;
  if (attempts_open(job.id) > 0) return ErrorCode::refused;
  const CancelCause cause = *job.cancelled;
  ModelJob fresh = job;
  fresh.cancelled.reset();
  if (act.tolerate_failures) fresh.tolerance = *act.tolerate_failures;
  if (const Refusal refusal = may_go_on(fresh)) return refusal;
  if (has_failed_too_often(fresh)) return ErrorCode::refused;
  job.cancelled.reset();
  job.ended_at = no_time;
  job.tolerance = fresh.tolerance;
  job.paused = PauseCause::none;
  progress(job);
  job.generation = next_stamp(job.generation, now_);
  std::vector<ModelTask*> again;
  for (ModelTask* task : tasks_of(job.id)) {
    const auto* cancelled = std::get_if<Cancelled>(&task->state);
    if (cancelled == nullptr || cancelled->cause != cause) continue;
    if (task->parent) {
      ModelTask& parent = *find(task->parent);
      const bool is_joined = kind_of(parent.state) != StateKind::expanded;
      if (!is_joined && task->made_by == parent.expansion) {
        rerun_children(parent, task->id, Cause::manual);
      }
      continue;
    }
    if (task->item) {
      ModelItem& item = items_.at(task->item);
      if (item.cancelled && item.cancelled != cause) continue;
    }
    again.push_back(task);
  }
  // All of them first: none stands in the way of another one's dependents.
  for (ModelTask* task : again) {
    if (task->item) items_.at(task->item).cancelled.reset();
    put(*task, Ready{});
  }
  for (ModelTask* task : again) rerun(*task, Cause::manual);
  return {};
}

Model::Refusal Model::carry_out(const SetBudget& act) {
  if (!jobs_.contains(act.job)) return ErrorCode::not_found;
  ModelJob& job = touch(act.job);
  job.budget = act.budget;
  job.deadline_at = act.budget.deadline ? job.submitted_at + *act.budget.deadline : no_time;
  job.generation = next_stamp(job.generation, now_);
  const bool a_budget_paused_it =
      job.paused != PauseCause::none && job.paused != PauseCause::requested;
  if (a_budget_paused_it && job.ended_at == no_time && !may_go_on(job)) {
    return carry_out(ResumeJob{act.job});
  }
  return {};
}

Model::Refusal Model::carry_out(const ReopenSubmission& act) {
  if (!jobs_.contains(act.job)) return ErrorCode::not_found;
  ModelJob& job = touch(act.job);
  if (job.ended_at != no_time || job.cancelled) return ErrorCode::refused;
  job.submission_open = true;
  ++job.pass;
  return {};
}

Model::Refusal Model::carry_out(const CancelItem& act) {
  if (!items_.contains(act.item)) return ErrorCode::not_found;
  const ModelItem& item = items_.at(act.item);
  const ModelJob& job = touch(item.job);
  // A limit's cancel is not final: a revival would take it back.
  const bool is_of_limit =
      job.cancelled && is_limit(*job.cancelled) && item.cancelled == job.cancelled;
  if (state_of_item(item) != ItemState::active && !is_of_limit) return ErrorCode::refused;
  if (!item.cancelled || is_of_limit) end_item(act.item, CancelCause::requested);
  return {};
}

/// Every task of the item that is not running ends now_, even without a row.
void Model::end_item(ItemId id, CancelCause cause) {
  ModelItem& item = items_.at(id);
  ModelJob& job = touch(item.job);
  item.cancelled = cause;
  job.generation = next_stamp(job.generation, now_);
  for (std::size_t i = 0; i < job.workflow.stage_count(); ++i) {
    const auto stage = static_cast<StageIndex>(i);
    if (job.workflow.stage(stage).scope == Scope::all) continue;
    const TaskId task_of_stage = task_id(id, stage);
    ModelTask* task = find(task_of_stage);
    if (task == nullptr) {
      make(job, id, task_of_stage, Cancelled{cause});
      continue;
    }
    if (has_ended(task->state) || kind_of(task->state) == StateKind::running) continue;
    supersede(task_of_stage);
    const bool was_expanded = kind_of(task->state) == StateKind::expanded;
    put(*task, Cancelled{cause});
    if (was_expanded) end_children(*task, cause);
  }
}

Model::Refusal Model::may_rerun(const ModelTask& task) {
  if (const Refusal refusal = may_go_on(jobs_.at(task.job))) return refusal;
  if (task.item && items_.at(task.item).cancelled) return ErrorCode::refused;
  const auto* skipped = std::get_if<Skipped>(&task.state);
  const bool given_up = skipped != nullptr && skipped->reason == SkipReason::upstream_failed;
  if (kind_of(task.state) == StateKind::waiting || given_up) return ErrorCode::refused;
  if (task.parent) {
    const ModelTask& parent = *find(task.parent);
    const StateKind kind = kind_of(task.state);
    if (kind != StateKind::failed && kind != StateKind::awaiting_review) return ErrorCode::refused;
    const bool is_current = task.made_by == parent.expansion && parent.expanded_in == parent.epoch;
    if (!is_current) return ErrorCode::refused;
    const bool is_joined_now =
        kind_of(parent.state) != StateKind::expanded && !has_ended(parent.state);
    if (is_joined_now) return ErrorCode::refused;
  }
  return {};
}

/// The one operation that goes back.
void Model::rerun(ModelTask& task, Cause cause) {
  ModelJob& job = touch(task.job);
  const auto* failed = std::get_if<Failed>(&task.state);
  if (task.parent) {
    rerun_children(*find(task.parent), task.id, cause);
  } else if (failed != nullptr && failed->cause == FailCause::tolerance) {
    rerun_children(task, {}, cause);
  } else {
    supersede(task.id);
    end_children(task, CancelCause::superseded);
    cut_short(task);
    fresh_epoch(task, cause);
    reset_downstream(task, cause);
    put(task, Ready{});
    if (task.item) follow_needs(job, task.item);
    reset_job_wide_after(job, pawl::stage_of(task.id));
  }
  progress(job);
}

/// Everything downstream that has a row waits again, in a new epoch.
void Model::reset_downstream(const ModelTask& from, Cause cause) {
  const Workflow& workflow = jobs_.at(from.job).workflow;
  for (std::size_t i = 0; from.item && i < workflow.stage_count(); ++i) {
    const auto stage = static_cast<StageIndex>(i);
    ModelTask* task = find(task_id(from.item, stage));
    if (task == nullptr || !is_downstream(workflow, stage, pawl::stage_of(from.id))) continue;
    supersede(task->id);
    end_children(*task, CancelCause::superseded);
    cut_short(*task);
    fresh_epoch(*task, cause);
    put(*task, Waiting{});
  }
}

void Model::reset_job_wide_after(ModelJob& job, StageIndex changed) {
  for (std::size_t i = 0; i < job.workflow.stage_count(); ++i) {
    const auto stage = static_cast<StageIndex>(i);
    if (job.workflow.stage(stage).scope != Scope::all) continue;
    ModelTask* task = find(task_id(job.job_wide, stage));
    if (task == nullptr || !is_downstream(job.workflow, stage, changed)) continue;
    if (kind_of(task->state) == StateKind::waiting) continue;
    supersede(task->id);
    end_children(*task, CancelCause::superseded);
    cut_short(*task);
    fresh_epoch(*task, Cause::manual);
    put(*task, Waiting{});
  }
}

/// Only unfinished children run again; the parent waits for them as before.
void Model::rerun_children(ModelTask& parent, TaskId only, Cause cause) {
  ModelJob& job = touch(parent.job);
  Expanded counts;
  for (ModelTask* child : children_of(parent)) {
    const StateKind kind = kind_of(child->state);
    const bool asked_for = child->id == only && kind == StateKind::awaiting_review;
    const bool not_done =
        kind == StateKind::cancelled || (kind == StateKind::failed && (!only || only == child->id));
    if (asked_for || not_done) {
      supersede(child->id);
      fresh_epoch(*child, cause);
      put(*child, Ready{});
    }
    ++counts.children;
    if (!has_ended(child->state)) ++counts.open;
    if (kind_of(child->state) == StateKind::failed) ++counts.failed;
  }
  put(parent, counts);
  reset_downstream(parent, Cause::manual);
  if (parent.item) follow_needs(job, parent.item);
  reset_job_wide_after(job, pawl::stage_of(parent.id));
}

Model::Refusal Model::carry_out(const Rerun& act) {
  ModelTask* task = find(act.task);
  if (task == nullptr) return ErrorCode::not_found;
  touch(task->job);
  if (act.expected != 0 && act.expected != task->version) return ErrorCode::conflict;
  if (const Refusal refusal = may_rerun(*task)) return refusal;
  rerun(*task, act.cause);
  return {};
}

Model::Refusal Model::may_change_stage(JobId id, StageIndex stage) {
  if (!jobs_.contains(id)) return ErrorCode::not_found;
  const ModelJob& job = touch(id);
  if (at(stage) >= job.workflow.stage_count()) return ErrorCode::invalid;
  if (job.ended_at != no_time || job.cancelled) return ErrorCode::refused;
  return {};
}

Model::Refusal Model::carry_out(const PauseStage& act) {
  if (const Refusal refusal = may_change_stage(act.job, act.stage)) return refusal;
  ModelJob& job = jobs_.at(act.job);
  if (job.paused_stages.insert(act.stage).second) job.generation = next_stamp(job.generation, now_);
  return {};
}

Model::Refusal Model::carry_out(const ResumeStage& act) {
  if (const Refusal refusal = may_change_stage(act.job, act.stage)) return refusal;
  ModelJob& job = jobs_.at(act.job);
  if (job.paused_stages.erase(act.stage) == 0) return {};
  job.generation = next_stamp(job.generation, now_);
  job.last_progress_at = now_;  // it could not make any
  return {};
}

/// A dead letter is taken back first, as by a rerun.
Model::Refusal Model::carry_out(const SkipTask& act) {
  ModelTask* task = find(act.task);
  if (task == nullptr) return ErrorCode::not_found;
  if (act.expected != 0 && act.expected != task->version) return ErrorCode::conflict;
  if (act.reason.empty()) return ErrorCode::invalid;
  const ModelJob& job = touch(task->job);
  const StateKind kind = kind_of(task->state);
  const auto* failed = std::get_if<Failed>(&task->state);
  if (failed != nullptr) {
    if (const Refusal refusal = may_rerun(*task)) return refusal;
    // The rerun of one whose children failed waits for them again.
    if (!task->parent && failed->cause == FailCause::tolerance) return ErrorCode::refused;
    rerun(*task, Cause::manual);
  } else if (job.cancelled || (kind != StateKind::ready && kind != StateKind::retry_scheduled &&
                               kind != StateKind::awaiting_review)) {
    return ErrorCode::refused;
  }
  supersede(task->id);
  put(*task, Skipped{SkipReason::by_choice});
  ended(*task);
  return {};
}

Model::Refusal Model::carry_out(const DiscardDeadLetter& act) {
  ModelTask* task = find(act.task);
  if (task == nullptr) return ErrorCode::not_found;
  touch(task->job);
  const auto* failed = std::get_if<Failed>(&task->state);
  if (failed == nullptr || failed->discarded) return ErrorCode::conflict;
  if (act.reason.empty()) return ErrorCode::invalid;
  put(*task, Failed{.cause = failed->cause, .discarded = true});
  return {};
}

/// No job of the simulation was imported.
Model::Refusal Model::carry_out(const TrustJob& act) {
  if (!jobs_.contains(act.job)) return ErrorCode::not_found;
  return act.by.empty() ? ErrorCode::invalid : ErrorCode::refused;
}

Model::Refusal Model::carry_out(const PurgeItem& act) {
  if (!items_.contains(act.item)) return ErrorCode::not_found;
  const ModelItem item = items_.at(act.item);
  ModelJob& job = touch(item.job);
  if (job.ended_at == no_time) return ErrorCode::refused;
  std::vector<TaskId> rows;
  for (const auto& [id, task] : tasks_) {
    if (task.item != act.item) continue;
    const auto* failed = std::get_if<Failed>(&task.state);
    if (failed != nullptr && !failed->discarded) return ErrorCode::refused;
    rows.push_back(id);
  }
  for (const TaskId id : rows) {
    std::erase_if(reviews_, [&](const ModelReview& review) { return review.task == id; });
    tasks_.erase(id);
  }
  job.seen.erase(item.key);  // a source that still contains it adds it again
  items_.erase(act.item);
  return {};
}

}  // namespace pawl::simulation
