#include "runtime/job_book.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace pawl::runtime {

namespace {

constexpr std::size_t left_max = 200;  ///< entries that a worker reports

}  // namespace

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
  auto plan =
      std::make_shared<JobPlan>(JobPlan{.id = job.id,
                                        .params = job.params,
                                        .labels = job.labels,
                                        .reduce_ordinal = job.reduce_ordinal,
                                        .submitted_at = job.submitted_at,
                                        .workflow = workflow,
                                        .code = shelf_.code_for(workflow),
                                        .pool_keys = {},
                                        .is_left = is_foreign(job.id) || (takes_ && !takes_(job))});
  for (const StageDefinition& stage : workflow.definition().stages) {
    plan->pool_keys.push_back(stage.limits.pool.empty() ? workflow.name() + "/" + stage.name
                                                        : stage.limits.pool);
  }
  JobSeen& seen = jobs_[job.id];
  seen.plan = std::move(plan);
  seen.job = job;
  find_left(seen);
}

/// Jobs that the engine does not work on by its options are reported once, as such.
void JobBook::find_left(JobSeen& seen) const {
  const JobPlan& plan = *seen.plan;
  const auto reason = [&](const StageDefinition* stage) {
    return why_left_ ? why_left_(seen.job, plan.workflow, stage) : std::string();
  };
  seen.left.clear();
  seen.is_unavailable = false;
  if (is_foreign(plan.id)) return;
  if (plan.is_left) {
    seen.left = {{.job = plan.id, .stage = {}, .reason = reason(nullptr)}};
    return;
  }
  for (std::size_t i = 0; i < plan.code.size() && seen.left.size() <= left_max; ++i) {
    const auto index = static_cast<StageIndex>(i);
    const StageDefinition& stage = plan.workflow.stage(index);
    if (shelf_.is_excluded(stage)) continue;
    const CodeShelf::Service service = shelf_.service_of(plan, index);
    if (service == CodeShelf::Service::available) continue;
    seen.is_unavailable |= service == CodeShelf::Service::unavailable;
    seen.left.push_back({.job = plan.id, .stage = stage.name, .reason = reason(&stage)});
  }
}

/// Of the newest jobs, where there is too much to be reported.
void JobBook::describe(WorkerLimits& limits) const {
  std::map<JobId, const JobSeen*, std::greater<>> newest_first;
  for (const auto& [id, seen] : jobs_) {
    if (!seen.left.empty()) newest_first.emplace(id, &seen);
  }
  limits.jobs = only_;
  limits.left.clear();
  limits.cut_at = {};
  for (const auto& [id, seen] : newest_first) {
    for (const WorkerLimits::Left& left : seen->left) {
      if (limits.left.size() == left_max) {
        limits.cut_at = id;
        return;
      }
      limits.left.push_back(left);
    }
  }
}

bool JobBook::has_unavailable() const {
  return std::ranges::any_of(jobs_, [](const auto& one) { return one.second.is_unavailable; });
}

/// Whether a job is taken at all is decided once.
void JobBook::look_again() {
  for (auto& [id, seen] : jobs_) {
    if (!seen.plan->is_left) find_left(seen);
  }
}

bool JobBook::refresh(const Job& job) {
  const auto entry = jobs_.find(job.id);
  if (entry == jobs_.end()) return false;
  JobSeen& seen = entry->second;
  const bool is_older = job.generation < seen.generation;
  if (is_older && !seen.is_doubtful) return false;
  seen.is_doubtful = false;
  seen.generation = job.generation;
  seen.job = job;
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
    seen.plan = std::move(plan);
  }
  look_again();
}

}  // namespace pawl::runtime
