/// The life of an attempt in this engine: started, overdue, stopped, finished, closed.

#include <algorithm>
#include <string>
#include <utility>

#include "core/record_text.hpp"
#include "pawl/codec/names.hpp"
#include "runtime/loop.hpp"
#include "runtime/overrun.hpp"

namespace pawl::runtime {

namespace {

/// A longer action is not recorded; see `Context::set_action`.
constexpr std::size_t action_bytes_max = 8192;

}  // namespace

Loop::Held& Loop::hold_attempt(Task task, std::shared_ptr<const JobPlan> plan,
                               std::shared_ptr<ItemHold> hold) {
  auto attempt = std::allocate_shared<OpenAttempt>(Recycled<OpenAttempt>());
  attempt->code = plan->code[at(task.stage())];
  attempt->task = std::move(task);
  attempt->plan = std::move(plan);
  attempt->hold = std::move(hold);
  attempt->ports = ports_;
  Held& held = held_.hold(std::move(attempt));
  board_.set_open(held_.size());
  return held;
}

void Loop::start_attempt(Task task, std::shared_ptr<const JobPlan> plan,
                         std::shared_ptr<ItemHold> hold, std::string condition_error,
                         std::optional<std::vector<Attempt>> history) {
  Held& held = hold_attempt(std::move(task), std::move(plan), std::move(hold));
  std::shared_ptr<OpenAttempt> attempt = held.attempt;
  attempt->condition_error = std::move(condition_error);
  attempt->history = std::move(history);
  if (attempt->task.attempts == 1) attempt->history.emplace();
  if (options_.log) {
    const AttemptNumber number = attempt->task.attempts;
    log(LogLevel::info, (number == 1 ? "first attempt of '" : "retry of '") +
                            attempt->stage().name + "' for '" + attempt->hold->key() +
                            "' starts: attempt " + std::to_string(number));
  }
  held.ticket = desk_->add_piece([this, attempt = std::move(attempt)] {
    return to_loop(this, execute(attempt, *attempt->ports));
  });
  if (stopping_) ask_to_stop(held, StopReason::shutdown);
}

/// The attempt is closed as interrupted without running: the work is done under the next number.
void Loop::give_back(Task task, std::shared_ptr<const JobPlan> plan, std::shared_ptr<ItemHold> hold,
                     const std::string& why) {
  Held& held = hold_attempt(std::move(task), std::move(plan), std::move(hold));
  held.finished = std::make_unique<Finished>();
  held.finished->draft = draft_without_word(held, AttemptResult::interrupted);
  held.finished->draft.graceful = true;
  held.finished->draft.summary = why;
  close_attempt(held);
}

void Loop::on_due(const HeldAttempts::Due& due) {
  if (due.kind == Timer::Kind::grace) return on_grace_over(*due.held);
  due.held->overran_in_gate = due.kind == Timer::Kind::gate;
  ask_to_stop(*due.held, StopReason::deadline);
}

/// Work that has not begun ends here; what runs gets its grace period.
void Loop::ask_to_stop(Held& held, StopReason why) {
  if (held.closing || held.stop_reason != StopReason::none) return;
  held.stop_reason = why;
  held.attempt->stop.request_stop();
  if (desk_->withdraw(held.ticket)) {
    held.finished = std::make_unique<Finished>();
    held.finished->draft = draft_without_word(held, AttemptResult::interrupted);
    held.finished->draft.ran = false;
    close_attempt(held);
    return;
  }
  held_.begin_grace(held, clock_.now() + options_.grace);
}

void Loop::on_grace_over(Held& held) {
  crew_.abandon(held.ticket);
  const AttemptResult result = held.stop_reason == StopReason::deadline ? AttemptResult::timed_out
                               : held.stop_reason == StopReason::cancel
                                   ? AttemptResult::cancelled
                                   : AttemptResult::interrupted;
  held.finished = std::make_unique<Finished>();
  held.finished->draft = draft_without_word(held, result);
  if (options_.threads > 0 && desk_->abandoned() > 0) {
    log(LogLevel::warning, "stage '" + held.attempt->stage().name +
                               "' ignored its stop token and was abandoned (" +
                               std::to_string(desk_->abandoned()) + " of " +
                               std::to_string(options_.abandoned_max) + ")");
  }
  close_attempt(held);
}

/// The record of an attempt that did not speak for itself.
Attempt Loop::draft_without_word(const Held& held, AttemptResult result) const {
  Attempt draft;
  draft.result = result;
  draft.started_at = held.started_at != no_time
                         ? held.started_at
                         : std::get<Running>(held.attempt->task.state).opened_at;
  draft.ended_at = clock_.now();
  if (result == AttemptResult::timed_out) {
    const StageDefinition& stage = held.attempt->stage();
    draft.summary = "Attempt timed out";
    draft.error = overrun(stage, held.overran_in_gate ? &stage.gates[held.gate] : nullptr);
  }
  return draft;
}

Desk::Message Loop::to_loop(Loop* loop, std::unique_ptr<Finished> finished) {
  if (!finished) return nullptr;
  return
      [loop, finished = std::move(finished)]() mutable { loop->on_finished(std::move(finished)); };
}

void Loop::on_finished(std::unique_ptr<Finished> finished) {
  Held* held = held_.find_running({finished->task, finished->version});
  if (held == nullptr) return;  // late: closed without it, and fenced
  held->finished = std::move(finished);
  close_attempt(*held);
}

/// How many attempts the close may open at once: its own slot, and what room there is; none where
/// what comes next, the task itself or a dependent, is not ours to run.
std::uint32_t Loop::may_open_next(const Held& held, StateKind next) const {
  if (stopping_ || board_.is_draining() || lease_.is_over()) return 0;
  const JobPlan& plan = *held.attempt->plan;
  const StageIndex own = held.attempt->task.stage();
  const auto is_held_back = [&](StageIndex stage) {
    return claimer_.is_held_back(plan.pool_keys[at(stage)], clock_.now());
  };
  const auto is_ours = [&](StageIndex stage) {
    return shelf_.serves(plan, stage) && !is_held_back(stage);
  };
  const bool all_ours = next == StateKind::ready
                            ? is_ours(own)
                            : std::ranges::all_of(plan.workflow.plan(own).dependents, is_ours);
  if (!all_ours) return 0;
  const std::size_t open = held_.size();
  return 1 + static_cast<std::uint32_t>(options_.parallel > open ? options_.parallel - open : 0);
}

void Loop::close_attempt(Held& held) {
  const OpenAttempt& attempt = *held.attempt;
  const StageDefinition& stage = attempt.stage();
  const JobSeen& seen = *jobs_.find(attempt.plan->id);
  Attempt& draft = held.finished->draft;

  // What ended because it was asked to give way is given back; a success counts all the same.
  const bool gave_way =
      (held.stop_reason == StopReason::shutdown || held.stop_reason == StopReason::lease) &&
      (draft.result == AttemptResult::failure || draft.result == AttemptResult::timed_out ||
       draft.result == AttemptResult::interrupted);
  if (gave_way) {
    Attempt given_back = draft_without_word(held, AttemptResult::interrupted);
    given_back.graceful = true;
    given_back.ran = draft.ran;
    given_back.artifacts = std::move(draft.artifacts);
    given_back.alternatives = std::move(draft.alternatives);
    given_back.usage = draft.usage;
    draft = std::move(given_back);
  }
  draft.action = attempt.action.get();
  if (draft.action.size() > action_bytes_max) draft.action = {};
  draft.cancelled_by = seen.cancelled ? seen.cancelled : held.item_cancelled;
  // What broke because it was asked to end did not fail; what it left behind stays.
  const bool was_cut_off =
      held.stop_reason == StopReason::cancel &&
      (draft.result == AttemptResult::failure || draft.result == AttemptResult::timed_out);
  if (was_cut_off) {
    draft.result = AttemptResult::cancelled;
    draft.error.reset();
    draft.summary = "cancelled while it ran";
  }
  draft.attempts_cap = seen.attempts_cap;

  std::optional<Advice> advice;
  if (!stage.decider.empty() && is_put_to_decider(draft) && !draft.cancelled_by) {
    draft.decider = stage.decider;
    draft.task = attempt.task.id;
    draft.number = attempt.task.attempts;
    draft.epoch = attempt.task.epoch;
    draft.cause = attempt.task.cause;
    draft.counts_before = attempt.task.counts;
    make_text_valid(draft);  // `verify` will show the decider the record
    advice = attempt.code->decider(stage, draft);
  }
  Step& step = commits_.add(close(stage, attempt.task, std::move(draft),
                                  std::move(held.finished->children), advice ? &*advice : nullptr));
  step.generation = seen.generation;
  step.open_for = worker();
  hold_back_where_told(*attempt.plan, step);
  step.open_max = may_open_next(held, step.next.kind());
  held.closing = true;
}

/// A rate limit with a hint holds its pool back from now on: the commit of this very step must not
/// claim from it.
void Loop::hold_back_where_told(const JobPlan& plan, const Step& step) {
  const auto* scheduled = std::get_if<RetryScheduled>(&step.next.state);
  if (scheduled == nullptr || !step.closed || !step.closed->error) return;
  const StageError& error = *step.closed->error;
  if (error.error_class != ErrorClass::rate_limited || !error.retry_after) return;
  claimer_.hold_back(plan.pool_keys[at(step.next.stage())], scheduled->next_run_at, clock_.now());
}

/// What was decided, once it is committed.
void Loop::log_decision(const OpenAttempt& attempt, const Step& step) const {
  if (!options_.log) return;
  const std::string what = "'" + attempt.stage().name + "' for '" + attempt.hold->key() +
                           "', attempt " + std::to_string(step.closed->number);
  const Decision& decision = step.closed->decision;
  if (decision.kind == DecisionKind::retry) {
    const auto delay = std::chrono::duration_cast<std::chrono::milliseconds>(decision.next_run_at -
                                                                             step.closed->ended_at);
    log(LogLevel::info, "retry scheduled: " + what + " (" +
                            std::string(name_of(step.closed->result)) + "), next in " +
                            std::to_string(delay.count()) + "ms");
  } else if (decision.kind == DecisionKind::fail) {
    log(LogLevel::warning,
        "failed for good: " + what + " (" + std::string(name_of(decision.fail_cause)) + ")");
  } else if (decision.kind == DecisionKind::complete && step.closed->number > 1) {
    log(LogLevel::info, "retry succeeded: " + what);
  }
}

}  // namespace pawl::runtime
