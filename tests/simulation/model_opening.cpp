/// What may be opened: budgets, parallelism, pools and rates.

#include "pawl/codec/names.hpp"
#include "simulation/model.hpp"

namespace pawl::simulation {

Limits limits_of(const Workflow& workflow, StageIndex stage) {
  const auto pool_of = [&](const StageDefinition& one) {
    const bool is_limited = one.limits.parallel > 0 || one.limits.rate.count > 0;
    if (!one.limits.pool.empty() || !is_limited) return one.limits.pool;
    return workflow.name() + "/" + one.name;
  };
  Limits limits{.pool = pool_of(workflow.stage(stage)), .parallel = 0, .rate = {}};
  if (limits.pool.empty()) return limits;
  for (const StageDefinition& other : workflow.definition().stages) {
    if (pool_of(other) != limits.pool) continue;
    if (other.limits.parallel > 0) limits.parallel = other.limits.parallel;
    if (other.limits.rate.count > 0) limits.rate = other.limits.rate;
  }
  return limits;
}

void Model::open(ModelTask& task, WorkerId worker) {
  ++task.attempts;
  ++task.counts.attempts;
  put(task, Running{worker, now_});
  const Limits limits = limits_of(jobs_.at(task.job).workflow, pawl::stage_of(task.id));
  if (limits.rate.count > 0) openings_[limits.pool].push_back({now_, limits.rate});
}

std::int64_t Model::attempts_open(JobId job) {
  std::int64_t open = 0;
  for (const ModelTask* task : tasks_of(job)) {
    if (kind_of(task->state) == StateKind::running) ++open;
  }
  return open;
}
std::int64_t Model::attempts_opened(JobId job) {
  std::int64_t opened = 0;
  for (const ModelTask* task : tasks_of(job)) opened += task->attempts;
  return opened;
}
Usage Model::used(JobId job) {
  Usage sum;
  for (const ModelTask* task : tasks_of(job)) sum = sum + task->used;
  return sum;
}

bool Model::is_going(const ModelJob& job) const {
  return !job.cancelled && job.paused == PauseCause::none && job.ended_at == no_time;
}

BudgetKind Model::used_up(const ModelJob& job) {
  const Budget& budget = job.budget;
  if (job.deadline_at != no_time && now_ >= job.deadline_at) return BudgetKind::deadline;
  if (budget.max_total_attempts && attempts_opened(job.id) >= *budget.max_total_attempts) {
    return BudgetKind::total_attempts;
  }
  if (budget.cost_microusd && used(job.id).cost_microusd >= *budget.cost_microusd) {
    return BudgetKind::cost;
  }
  if (budget.tokens && used(job.id).tokens >= *budget.tokens) return BudgetKind::tokens;
  const bool no_decision_helped =
      budget.no_progress_decisions && job.decisions_since_progress >= *budget.no_progress_decisions;
  const bool too_long = budget.no_progress && now_ - job.last_progress_at > *budget.no_progress;
  return no_decision_helped || too_long ? BudgetKind::no_progress : BudgetKind::none;
}

void Model::exhaust(ModelJob& job, BudgetKind budget) {
  const bool is_deadline = budget == BudgetKind::deadline;
  if (job.budget.exhausted == OnBudgetEnd::fail) {
    cancel_job(job, is_deadline ? CancelCause::deadline : CancelCause::budget);
    return;
  }
  job.paused = is_deadline                         ? PauseCause::deadline
               : budget == BudgetKind::no_progress ? PauseCause::no_progress
                                                   : PauseCause::budget;
  job.generation = next_stamp(job.generation, now_);
}

void Model::ask_budget(ModelJob& job) {
  if (!is_going(job)) return;
  if (const BudgetKind budget = used_up(job); budget != BudgetKind::none) exhaust(job, budget);
}

/// A claim with room left meets a used-up budget only if another task was Ready in its lanes. The
/// store tells whether there was one.
void Model::learn_exhaustion(ModelJob& job) {
  if (!is_going(job) || used_up(job) == BudgetKind::none) return;
  const Result<Job> row = rows_.job(job.id);
  const bool paused = row && row->paused != PauseCause::none;
  const bool cancelled =
      row && (row->cancelled == CancelCause::budget || row->cancelled == CancelCause::deadline);
  if (paused || cancelled) exhaust(job, used_up(job));
}

std::string Model::why_not_open(const ModelTask& task, WorkerId worker, bool own_slot) {
  const ModelJob& job = jobs_.at(task.job);
  if (kind_of(task.state) != StateKind::ready) {
    return "it is " + std::string(name_of(kind_of(task.state)));
  }
  const auto holder = workers_.find(worker);
  if (holder == workers_.end() || holder->second.retired) return "its worker is gone";
  if (job.cancelled) return "its job is cancelled";
  if (job.paused != PauseCause::none) return "its job is paused";
  if (job.paused_stages.contains(pawl::stage_of(task.id))) return "its stage is paused";
  if (job.ended_at != no_time) return "its job has ended";
  if (const BudgetKind budget = used_up(job); budget != BudgetKind::none) {
    return "the budget of " + std::string(name_of(budget)) + " is used up";
  }
  if (task.item && items_.at(task.item).cancelled) return "its item is cancelled";
  const Limits limits = limits_of(job.workflow, pawl::stage_of(task.id));
  if (!own_slot) {
    if (job.parallel > 0 && attempts_open(job.id) >= job.parallel) return "its job is full";
    std::int64_t in_pool = 0;
    for (const auto& [id, other] : tasks_) {
      const bool runs = kind_of(other.state) == StateKind::running;
      if (!runs || limits.parallel == 0) continue;
      const Limits its = limits_of(jobs_.at(other.job).workflow, pawl::stage_of(id));
      if (its.pool == limits.pool && its.parallel > 0) ++in_pool;
    }
    if (limits.parallel > 0 && in_pool >= limits.parallel) return "its pool is full";
  }
  if (limits.rate.count > 0) {
    std::uint32_t recent = 0;
    for (const Opening& one : openings_[limits.pool]) {
      if (one.rate != limits.rate) return {};
      if (one.at > now_ - limits.rate.per) ++recent;
    }
    if (recent >= limits.rate.count) return "the rate of its pool is used up";
  }
  return {};
}

void Model::check_and_open(const Task& opened, WorkerId worker, bool own_slot) {
  ModelTask* task = find(opened.id);
  if (task == nullptr) {
    differ("task " + std::to_string(opened.id.value()) +
           " was opened, and the model has no such task");
    return;
  }
  if (const std::string why = why_not_open(*task, worker, own_slot); !why.empty()) {
    differ(named(*task) + ": opened for worker " + std::to_string(worker.value()) + ", though " +
           why);
  }
  open(*task, worker);
  if (opened.attempts != task->attempts) {
    differ(named(*task) + ": attempt number: model " + std::to_string(task->attempts) +
           ", store opened " + std::to_string(opened.attempts));
  }
}

}  // namespace pawl::simulation
