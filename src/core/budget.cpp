#include <utility>

#include "pawl/core/job.hpp"

namespace pawl {
namespace {

bool has_stalled(const Job& job, Timestamp now) {
  const Budget& budget = job.budget;
  if (budget.no_progress) {
    const Timestamp since =
        job.last_progress_at == no_time ? job.submitted_at : job.last_progress_at;
    if (now - since > *budget.no_progress) return true;
  }
  return budget.no_progress_decisions &&
         job.decisions_since_progress >= *budget.no_progress_decisions;
}

BudgetKind used_up(const Job& job, Timestamp now) {
  const Budget& budget = job.budget;
  if (job.deadline_at != no_time && now >= job.deadline_at) return BudgetKind::deadline;
  if (budget.max_total_attempts && job.attempts_opened >= *budget.max_total_attempts) {
    return BudgetKind::total_attempts;
  }
  if (budget.cost_microusd && job.used.cost_microusd >= *budget.cost_microusd) {
    return BudgetKind::cost;
  }
  if (budget.tokens && job.used.tokens >= *budget.tokens) return BudgetKind::tokens;
  return has_stalled(job, now) ? BudgetKind::no_progress : BudgetKind::none;
}

PauseCause pause_cause(BudgetKind budget) {
  switch (budget) {
    case BudgetKind::none:
      return PauseCause::none;
    case BudgetKind::deadline:
      return PauseCause::deadline;
    case BudgetKind::no_progress:
      return PauseCause::no_progress;
    case BudgetKind::total_attempts:
    case BudgetKind::cost:
    case BudgetKind::tokens:
      return PauseCause::budget;
  }
  return PauseCause::budget;
}

Event event_of(const Job& job, EventType type, std::int32_t code) {
  Event event;
  event.type = type;
  event.job = job.id;
  event.code = code;
  return event;
}

}  // namespace

void announce_near_budgets(Job& job, Timestamp now, std::vector<Event>& events) {
  const Budget& budget = job.budget;
  const auto judge = [&](BudgetKind kind, std::int64_t used, std::optional<std::int64_t> limit) {
    const std::uint32_t bit = std::uint32_t{1} << static_cast<std::uint32_t>(kind);
    // Divided first: a limit may be near the largest number.
    const bool is_near = limit && *limit > 0 && used >= *limit - *limit / 5;
    if (!is_near) {
      job.near_budgets &= ~bit;
    } else if ((job.near_budgets & bit) == 0) {
      job.near_budgets |= bit;
      events.push_back(event_of(job, EventType::budget_near, static_cast<std::int32_t>(kind)));
    }
  };
  if (job.has_ended() || job.cancelled) return;
  judge(BudgetKind::total_attempts, job.attempts_opened, budget.max_total_attempts);
  judge(BudgetKind::cost, job.used.cost_microusd, budget.cost_microusd);
  judge(BudgetKind::tokens, job.used.tokens, budget.tokens);
  const std::optional<std::int64_t> time =
      budget.deadline ? std::optional(budget.deadline->count()) : std::nullopt;
  judge(BudgetKind::deadline, (now - job.submitted_at).count(), time);
}

MayOpen may_open(const Job& job, Timestamp now) {
  if (!is_trusted(job.trust)) return {};
  if (job.cancelled || job.paused != PauseCause::none || job.has_ended()) return {};
  const BudgetKind budget = used_up(job, now);
  return {.yes = budget == BudgetKind::none, .budget = budget};
}

void exhaust(Job& job, BudgetKind budget, Timestamp now, std::vector<Event>& events) {
  if (budget == BudgetKind::none || job.cancelled || job.has_ended()) return;
  const bool pauses = job.budget.exhausted == OnBudgetEnd::pause;
  if (pauses && job.paused != PauseCause::none) return;
  job.generation = next_stamp(job.generation, now);
  events.push_back(event_of(job, EventType::budget_reached, static_cast<std::int32_t>(budget)));
  if (!pauses) {
    job.cancelled = budget == BudgetKind::deadline ? CancelCause::deadline : CancelCause::budget;
    return;
  }
  job.paused = pause_cause(budget);
  events.push_back(event_of(job, EventType::job_paused, static_cast<std::int32_t>(job.paused)));
}

}  // namespace pawl
