#include "runtime/job_book.hpp"

#include <functional>
#include <map>

namespace pawl::runtime {

const JobSeen* JobBook::find(JobId job) const {
  const auto seen = jobs_.find(job);
  return seen == jobs_.end() ? nullptr : &seen->second;
}

bool JobBook::is_unknown(JobId job) const {
  const JobSeen* const seen = find(job);
  return seen == nullptr || seen->is_doubtful;
}

std::vector<std::pair<JobId, Generation>> JobBook::generations() const {
  std::vector<std::pair<JobId, Generation>> all;
  for (const auto& [id, seen] : jobs_) all.emplace_back(id, seen.generation);
  return all;
}

bool JobBook::is_another(const Job& job) const {
  const JobSeen* const seen = find(job.id);
  return seen != nullptr && seen->plan->submitted_at != job.submitted_at;
}

void JobBook::add(const Job& job, const Workflow& workflow) {
  if (has(job.id)) return;
  auto plan = std::make_shared<JobPlan>(JobPlan{.id = job.id,
                                                .params = job.params,
                                                .labels = job.labels,
                                                .reduce_ordinal = job.reduce_ordinal,
                                                .submitted_at = job.submitted_at,
                                                .workflow = workflow,
                                                .code = shelf_.code_for(workflow),
                                                .pool_keys = {},
                                                .is_left = takes_ && !takes_(job)});
  for (const StageDefinition& stage : workflow.definition().stages) {
    plan->pool_keys.push_back(stage.limits.pool.empty() ? workflow.name() + "/" + stage.name
                                                        : stage.limits.pool);
  }
  plan->left = left_of(job, *plan);
  jobs_[job.id].plan = std::move(plan);
}

std::vector<WorkerLimits::Left> JobBook::left_of(const Job& job, const JobPlan& plan) const {
  const auto reason = [&](const StageDefinition* stage) {
    return why_left_ ? why_left_(job, plan.workflow, stage) : std::string();
  };
  if (plan.is_left) return {{.job = job.id, .stage = {}, .reason = reason(nullptr)}};
  std::vector<WorkerLimits::Left> left;
  for (std::size_t i = 0; i < plan.code.size(); ++i) {
    const StageDefinition& stage = plan.workflow.stage(static_cast<StageIndex>(i));
    if (shelf_.is_excluded(stage) || shelf_.serves(plan, static_cast<StageIndex>(i))) continue;
    left.push_back({.job = job.id, .stage = stage.name, .reason = reason(&stage)});
  }
  return left;
}

/// The newest jobs, where there are too many to be reported.
std::vector<WorkerLimits::Left> JobBook::left() const {
  constexpr std::size_t left_max = 200;
  std::map<JobId, const JobPlan*, std::greater<>> newest_first;
  for (const auto& [id, seen] : jobs_) {
    if (!seen.plan->left.empty()) newest_first.emplace(id, seen.plan.get());
  }
  std::vector<WorkerLimits::Left> all;
  for (const auto& [id, plan] : newest_first) {
    if (all.size() + plan->left.size() > left_max) break;
    all.insert(all.end(), plan->left.begin(), plan->left.end());
  }
  return all;
}

bool JobBook::refresh(const Job& job) {
  const auto entry = jobs_.find(job.id);
  if (entry == jobs_.end()) return false;
  JobSeen& seen = entry->second;
  const bool is_older = job.generation < seen.generation;
  if (is_older && !seen.is_doubtful) return false;
  seen.is_doubtful = false;
  seen.generation = job.generation;
  seen.may_open = is_trusted(job.trust) && !job.cancelled && job.paused == PauseCause::none;
  seen.attempts_cap = job.budget.max_attempts_per_task;
  const bool is_newly_cancelled = job.cancelled && !seen.cancelled;
  seen.cancelled = job.cancelled;
  return is_newly_cancelled;
}

void JobBook::doubt_all() {
  for (auto& [id, seen] : jobs_) seen.is_doubtful = true;
}

void JobBook::serve_again() {
  for (auto& [id, seen] : jobs_) {
    auto plan = std::make_shared<JobPlan>(*seen.plan);
    plan->code = shelf_.code_for(plan->workflow);
    std::erase_if(plan->left, [&](const WorkerLimits::Left& left) {
      const Result<StageIndex> stage = plan->workflow.require_stage(left.stage);
      return stage && shelf_.serves(*plan, *stage);
    });
    seen.plan = std::move(plan);
  }
}

}  // namespace pawl::runtime
