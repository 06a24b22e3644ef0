/// The sums that are kept beside the rows: tasks by state, open attempts, items, dead letters.

#include <algorithm>
#include <array>

#include "store/ledger.hpp"

namespace pawl {

namespace {

StateCounts& counts_for(Job& job, const Task& task) {
  return task.child ? job.children[at(task.stage())] : job.stages[at(task.stage())];
}

}  // namespace

void Ledger::enter(Touched& touched, const Task& task) {
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

void Ledger::leave(Touched& touched, const Task& task, StateKind from, bool was_discarded) {
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

/// Budgets end or pause the job here; parallelism, pools and rates only say "not now".
bool Ledger::may_open_now(Touched& touched, StageIndex stage) {
  Job& job = *touched.job;
  const MayOpen may = may_open(job, now_);
  if (!may.yes) {
    if (may.budget != BudgetKind::none) exhaust(job, may.budget, now_, touched.events);
    return false;
  }
  if (job.parallel > 0 && job.attempts_open >= static_cast<std::int64_t>(job.parallel))
    return false;
  const Limits& limits = touched.workflow->plan(stage).limits;
  const bool is_full = limits.parallel > 0 &&
                       rows_.pool_open(limits.pool) >= static_cast<std::int64_t>(limits.parallel);
  return !is_full && rate_allows(touched, stage);
}

bool Ledger::rate_allows(const Touched& touched, StageIndex stage) {
  const Limits& limits = touched.workflow->plan(stage).limits;
  if (!limits.rate.is_set()) return true;
  const Timestamp newest = rows_.opening_before(limits.pool, limits.rate.count);
  const Timestamp next = next_opening(limits.rate, newest, now_);
  if (next <= now_) return true;
  held_rates_.insert_or_assign(limits.pool, next);
  return false;
}

/// An item settles when every task has ended. Without failures its sinks tell; otherwise a branch
/// may still run although every sink has been given up, so each task is looked at.
void Ledger::settle(Touched& touched, ItemId item, const ItemChange& change,
                    std::vector<Event>& events) {
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
      progress->state = progress->cancelled          ? ItemState::cancelled
                        : progress->failed_tasks > 0 ? ItemState::failed
                                                     : ItemState::succeeded;
      touched.job->items.count(progress->state);
      events.push_back(Event{.type = EventType::item_settled,
                             .item = item,
                             .code = static_cast<std::int32_t>(progress->state)});
    }
  }
  rows_.put_progress(item, *progress);
}

void Ledger::log(JobId job, std::span<const Event> events) {
  constexpr std::size_t events_per_row = 16;
  while (!events.empty()) {
    const std::size_t some = std::min(events.size(), events_per_row);
    rows_.append_journal(job, now_, events.first(some));
    events = events.subspan(some);
  }
}

}  // namespace pawl
