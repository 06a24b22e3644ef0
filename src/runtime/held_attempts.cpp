#include "runtime/held_attempts.hpp"

#include <algorithm>

namespace pawl::runtime {

void HeldAttempt::forget_cancel() {
  if (stop_reason == StopReason::cancel) stop_reason = StopReason::lease;
  // The reason may have been forgotten while the result was with the store.
  if (finished && finished->draft.result == AttemptResult::cancelled) {
    finished->draft.result = AttemptResult::interrupted;
  }
}

bool HeldAttempts::has_any_of(JobId job) const {
  return std::ranges::any_of(held_, [&](const auto& entry) { return entry.second.is_of(job); });
}

HeldAttempt* HeldAttempts::find(TaskId task) {
  const auto held = held_.find(task);
  return held == held_.end() ? nullptr : &held->second;
}

HeldAttempt* HeldAttempts::find(const OpenName& name) {
  HeldAttempt* const held = find(name.first);
  return held != nullptr && held->attempt->task.version == name.second ? held : nullptr;
}

HeldAttempt* HeldAttempts::find_running(const OpenName& name) {
  HeldAttempt* const held = find(name);
  return held != nullptr && !held->closing ? held : nullptr;
}

HeldAttempt* HeldAttempts::find_for(const Step& step) {
  return find(OpenName{step.next.id, step.expected});
}

HeldAttempt& HeldAttempts::hold(std::shared_ptr<OpenAttempt> attempt) {
  HeldAttempt& held = held_[attempt->task.id];
  if (held.attempt) stop(held);
  held = HeldAttempt{};
  held.attempt = std::move(attempt);
  return held;
}

HeldAttempt HeldAttempts::take_for(const Step& step) {
  HeldAttempt taken;
  if (HeldAttempt* const held = find_for(step)) {
    taken = std::move(*held);
    held_.erase(step.next.id);
  }
  return taken;
}

void HeldAttempts::stop(const HeldAttempt& held) {
  held.attempt->stop.request_stop();
  (void)desk_.withdraw(held.ticket);
}

void HeldAttempts::surrender(TaskId task) {
  const HeldAttempt* const held = find(task);
  if (held == nullptr) return;
  stop(*held);
  held_.erase(task);
}

void HeldAttempts::surrender_all_of(JobId job) {
  std::erase_if(held_, [&](const auto& entry) {
    if (!entry.second.is_of(job)) return false;
    stop(entry.second);
    return true;
  });
}

void HeldAttempts::surrender_all() {
  for (const auto& [id, held] : held_) stop(held);
  held_.clear();
}

void HeldAttempts::started(const OpenName& name, Timestamp at) {
  HeldAttempt* const held = find_running(name);
  if (held == nullptr) return;
  held->started_at = at;
  // An attempt has its own limit, that of the gate which is being asked, and its grace.
  timers_.tidy(3 * held_.size(), [&](const Timer& timer) {
    const HeldAttempt* its = find_running({timer.task, timer.version});
    return its != nullptr && (timer.kind != Timer::Kind::gate || its->gate_deadline == timer.at);
  });
  timers_.push({.at = at + held->attempt->stage().retry.attempt_timeout,
                .task = name.first,
                .version = name.second,
                .kind = Timer::Kind::attempt});
}

void HeldAttempts::gate_started(const OpenName& name, std::size_t gate, Timestamp at) {
  HeldAttempt* const held = find_running(name);
  if (held == nullptr) return;
  const StageDefinition& stage = held->attempt->stage();
  const Duration limit = stage.timeout_of(stage.gates[gate]);
  held->gate = gate;
  held->gate_deadline = limit > Duration::zero() ? at + limit : no_time;
  if (held->gate_deadline == no_time) return;
  timers_.push({.at = held->gate_deadline,
                .task = name.first,
                .version = name.second,
                .kind = Timer::Kind::gate});
}

void HeldAttempts::begin_grace(const HeldAttempt& held, Timestamp until) {
  timers_.push({.at = until,
                .task = held.attempt->task.id,
                .version = held.attempt->task.version,
                .kind = Timer::Kind::grace});
}

std::optional<HeldAttempts::Due> HeldAttempts::take_due(Timestamp now) {
  while (const std::optional<Timer> due = timers_.take_due(now)) {
    HeldAttempt* const held = find_running({due->task, due->version});
    if (held == nullptr) continue;
    // Another gate may have begun since.
    if (due->kind == Timer::Kind::gate && held->gate_deadline != due->at) continue;
    return Due{.kind = due->kind, .held = held};
  }
  return std::nullopt;
}

}  // namespace pawl::runtime
