#include "store/ledger.hpp"

#include <utility>

namespace pawl {

Ledger::Touched* Ledger::touch(JobId id) {
  if (const auto known = touched_.find(id); known != touched_.end()) return &known->second;
  Job* job = rows_.job(id);
  if (job == nullptr) return nullptr;
  Touched touched{.job = job, .workflow = &rows_.workflow(job->workflow_hash)};
  return &touched_.emplace(id, std::move(touched)).first->second;
}

bool Ledger::replace(Task& next, Version expected) {
  next.version = next_stamp(expected, now_);
  return rows_.replace_task(next, expected);
}

bool Ledger::try_insert(Task& fresh) {
  fresh.version = next_stamp(0, now_);
  return rows_.insert_task(fresh);
}

void Ledger::rewrite(Task& next, const Task& before) {
  require(replace(next, before.version), "a row changed inside its own transaction");
}

void Ledger::insert(Task& fresh) {
  require(try_insert(fresh), "a row was there before it was written");
}

void Ledger::has_changed(Job& job) const { job.generation = next_stamp(job.generation, now_); }

/// Whether the item was cancelled and who decided did not know: the cancel may have come after the
/// attempt was opened and before its worker read the job. A job's first generation has seen none.
bool Ledger::overlooks_cancel(const Job& job, const Step& step) {
  if (job.generation == 1 || !step.closed || step.closed->cancelled_by || !step.next.item) {
    return false;
  }
  const std::optional<ItemProgress> progress = rows_.progress(step.next.item);
  return progress && progress->cancelled;
}

/// In order: is the step still meant for this row and this view of the job; write the row; then
/// everything that follows from it, and one entry in the log.
StepAnswer Ledger::apply(const Step& step) {
  StepAnswer answer;
  Touched* at = touch(step.next.job);
  if (at == nullptr) {
    answer.outcome = StepOutcome::fenced;
    return answer;
  }
  Job& job = *at->job;
  if (step.generation != 0 && (step.generation != job.generation || overlooks_cancel(job, step))) {
    answer.outcome = StepOutcome::stale;
    return answer;
  }
  // A step may bring on another, so each takes what is spare.
  std::vector<Event> events = std::exchange(spare_events_, {});
  events.assign(step.events.begin(), step.events.end());
  // What the attempt used, and that it was no progress, counts for what opens with it.
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
  const bool wants_opening =
      step.next.kind() == StateKind::ready && step.open_max > 0 && is_present(step.open_for);
  // Whoever asks for what a budget no longer allows ends or pauses the job; a late step may not.
  if (wants_opening && may_open(job, now_).budget != BudgetKind::none) {
    const std::optional<Task> row = rows_.task(step.next.id);
    if (!row || row->version != step.expected) return fenced();
  }
  std::optional<Task> opened;
  if (wants_opening && may_open_with(*at, step)) {
    const StageDefinition& stage = at->workflow->stage(step.next.stage());
    opened = open(stage, step.next, step.open_for, now_, events);
  } else if (step.was == StateKind::ready && step.next.kind() == StateKind::ready) {
    answer.made_ready = true;  // it is as it was: nothing to write
    return answer;
  }
  Task row = opened ? *std::move(opened) : step.next;
  // What is opened at once has been Ready in between.
  require(may_move(step.was, step.next.kind()), "a step makes a move the table does not have");
  if (!replace(row, step.expected)) return fenced();
  leave(*at, row, step.was);
  enter(*at, row);
  if (row.kind() == StateKind::running) answer.opened.push_back(row);
  if (row.kind() == StateKind::ready) answer.made_ready = true;

  if (step.closed) rows_.insert_attempt(*step.closed);
  if (!step.children.empty()) create_children(*at, row, step.children);
  if (step.review) open_review(*at, row, *step.review);
  if (step.stops_job && !job.cancelled) {
    job.cancelled = CancelCause::stop_job;
    has_changed(job);
    at->events.push_back(Event{.type = EventType::job_cancelled,
                               .code = static_cast<std::int32_t>(CancelCause::stop_job)});
  }
  if (has_ended(row.state)) ended(*at, row, step.flow, step, events, answer);
  log(job.id, events);
  spare_events_ = std::move(events);
  return answer;
}

bool Ledger::is_present(WorkerId worker) {
  if (!worker) return false;
  if (const auto known = present_.find(worker); known != present_.end()) return known->second;
  const std::optional<WorkerRecord> row = rows_.worker(worker);
  return present_.emplace(worker, row && !row->retired).first->second;
}

/// The slot of the attempt that closes is the slot of the one that opens: then only budgets and
/// rates matter.
bool Ledger::may_open_with(Touched& at, const Step& step) {
  if (step.was != StateKind::running) return may_open_now(at, step.next.stage());
  const MayOpen may = may_open(*at.job, now_);
  if (may.budget != BudgetKind::none) exhaust(*at.job, may.budget, now_, at.events);
  return may.yes && rate_allows(at, step.next.stage());
}

void Ledger::bring_up_to_date(Touched& at) {
  // Releasing a job-wide stage changes the counters the next one is judged by.
  for (;;) {
    const std::vector<StageIndex> ready = advance(*at.job, *at.workflow, now_, at.events);
    if (ready.empty()) break;
    for (const StageIndex stage : ready) release_job_wide(at, stage);
  }
}

std::vector<JobMark> Ledger::finish() {
  std::vector<JobMark> marks;
  marks.reserve(touched_.size());
  for (auto& [id, at] : touched_) {
    bring_up_to_date(at);
    log(id, at.events);
    rows_.put_job(*at.job);
    marks.push_back({.job = id, .generation = at.job->generation, .state = state_of(*at.job)});
  }
  return marks;
}

}  // namespace pawl
