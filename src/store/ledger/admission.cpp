#include "store/ledger/admission.hpp"

namespace pawl::store {

namespace {

StateCounts& counts_for(Job& job, const Task& task) {
  return task.child ? job.children[at(task.stage())] : job.stages[at(task.stage())];
}

}  // namespace

void Admission::enter(TouchedJob& touched, const Task& task) {
  Job& job = *touched.job;
  const StateKind kind = task.kind();
  ++counts_for(job, task)[kind];
  if (kind == StateKind::running) {
    ++job.attempts_open;
    ++job.attempts_opened;
    const Limits& limits = touched.workflow->plan(task.stage()).limits;
    if (limits.parallel > 0) rows_.add_to_pool(limits.pool, 1);
    if (limits.rate.is_set()) rows_.note_opening(limits.pool, limits.rate, now_);
  }
  if (const auto* failed = std::get_if<Failed>(&task.state)) {
    ++job.failed_tasks;
    if (!failed->discarded) ++job.dead_letters;
  }
  if (has_ended(kind)) {
    job.decisions_since_progress = 0;
    job.last_progress_at = now_;
  }
}

void Admission::leave(TouchedJob& touched, const Task& task, StateKind from, bool was_discarded) {
  Job& job = *touched.job;
  --counts_for(job, task)[from];
  if (from == StateKind::running) {
    --job.attempts_open;
    const Limits& limits = touched.workflow->plan(task.stage()).limits;
    if (limits.parallel > 0) rows_.add_to_pool(limits.pool, -1);
  }
  if (from == StateKind::failed) {
    --job.failed_tasks;
    if (!was_discarded) --job.dead_letters;
  }
}

bool Admission::may_open(TouchedJob& touched, StageIndex stage) {
  Job& job = *touched.job;
  const MayOpen may = pawl::may_open(job, now_);
  if (!may.yes) {
    if (may.budget != BudgetKind::none) exhaust(job, may.budget, now_, touched.events);
    return false;
  }
  if (job.is_paused(stage)) return false;
  if (job.parallel > 0 && job.attempts_open >= static_cast<std::int64_t>(job.parallel))
    return false;
  const Limits& limits = touched.workflow->plan(stage).limits;
  const bool is_full = limits.parallel > 0 &&
                       rows_.pool_open(limits.pool) >= static_cast<std::int64_t>(limits.parallel);
  return !is_full && rate_allows(touched, stage);
}

bool Admission::rate_allows(const TouchedJob& touched, StageIndex stage) {
  const Limits& limits = touched.workflow->plan(stage).limits;
  if (!limits.rate.is_set()) return true;
  const Timestamp newest = rows_.opening_before(limits.pool, limits.rate.count);
  const Timestamp next = next_opening(limits.rate, newest, now_);
  if (next <= now_) return true;
  held_rates_.insert_or_assign(limits.pool, next);
  return false;
}

bool Admission::may_open_after(TouchedJob& touched, const Step& step) {
  if (step.was != StateKind::running) return may_open(touched, step.next.stage());
  const MayOpen may = pawl::may_open(*touched.job, now_);
  if (may.budget != BudgetKind::none) exhaust(*touched.job, may.budget, now_, touched.events);
  return may.yes && !touched.job->is_paused(step.next.stage()) &&
         rate_allows(touched, step.next.stage());
}

bool Admission::is_present(WorkerId worker) {
  if (!worker) return false;
  if (const auto known = present_.find(worker); known != present_.end()) return known->second;
  const std::optional<WorkerRecord> row = rows_.worker(worker);
  return present_.emplace(worker, row && !row->retired).first->second;
}

}  // namespace pawl::store
