// The checks of one task and its attempts, and of one review.

#include <algorithm>
#include <map>

#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/core/needs.hpp"
#include "store/decide_again.hpp"
#include "store/verify/checks.hpp"
#include "store/verify/facts.hpp"

namespace pawl::store {

namespace {

/// I2, I3: numbers are dense, and at most one attempt is open.
void check_numbers(const Task& task, const std::vector<Attempt>& attempts, Findings& findings) {
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (attempts[i].number == i + 1) continue;
    findings.add("I3", say("attempt ", i + 1, " of task ", task.id.value(), " has the number ",
                           attempts[i].number));
    break;
  }
  const auto* running = std::get_if<Running>(&task.state);
  if (running != nullptr) {
    if (!running->worker) {
      findings.add("I2", say("task ", task.id.value(), " is running and names no worker"));
    }
    if (task.attempts != attempts.size() + 1) {
      findings.add("I2", say("task ", task.id.value(), " is running its attempt ", task.attempts,
                             " and has ", attempts.size(), " closed ones, where ",
                             static_cast<std::int64_t>(task.attempts) - 1, " are due"));
    }
  } else if (task.attempts != attempts.size()) {
    findings.add("I2", say("task ", task.id.value(), " is ", name_of(task.kind()), " after ",
                           task.attempts, " attempts and has ", attempts.size(), " closed ones"));
  }
}

/// I5: from attempt to attempt the counts go on, within their caps.
void check_counts(const StageDefinition& stage, const Task& task,
                  const std::vector<Attempt>& attempts, Findings& findings) {
  const RetryPolicy& policy = stage.retry;
  const auto is_over = [&](const Counts& counts) {
    if (policy.has_separate_caps()) {
      return counts.failures > policy.failures_max() || counts.rejections > policy.rejections_max();
    }
    return std::uint64_t{counts.failures} + counts.rejections > policy.max_attempts;
  };
  std::uint32_t epoch = 0;
  Counts expected;
  const auto enter = [&](std::uint32_t next) {
    if (next != epoch) expected = Counts{};
    epoch = next;
  };
  for (const Attempt& attempt : attempts) {
    if (is_imported(attempt)) continue;
    enter(attempt.epoch);
    ++expected.attempts;
    const Counts& before = attempt.counts_before;
    if (before != expected) {
      findings.add(
          "I5", say("attempt ", attempt.number, " of task ", task.id.value(), " started from ",
                    before.failures, " failures, ", before.rejections, " rejections and ",
                    before.attempts, " attempts of its epoch, where ", expected.failures, ", ",
                    expected.rejections, " and ", expected.attempts, " follow from those before"));
    }
    const Counts& after = attempt.decision.counts;
    // A custom decider may outvote the stage's policy.
    if (stage.decider.empty() && is_over(after)) {
      findings.add("I5", say("attempt ", attempt.number, " of task ", task.id.value(), " left ",
                             after.failures, " failures and ", after.rejections,
                             " rejections, more than stage '", stage.name, "' allows"));
    }
    expected = after;
  }
  enter(task.epoch);
  if (task.kind() == StateKind::running) ++expected.attempts;
  if (task.counts != expected) {
    findings.add("I5",
                 say("task ", task.id.value(), " counts ", task.counts.failures, " failures, ",
                     task.counts.rejections, " rejections and ", task.counts.attempts,
                     " attempts in epoch ", task.epoch, ", where its attempts make ",
                     expected.failures, ", ", expected.rejections, " and ", expected.attempts));
  }
}

/// I6: deciding again gives the recorded decision.
void check_decision(const StageDefinition& stage, const Attempt& attempt,
                    std::span<const std::int64_t> moves, const VerifyOptions& options,
                    Findings& findings) {
  if (is_imported(attempt)) return;
  Decider decider;
  if (!attempt.decider.empty() && is_put_to_decider(attempt)) {
    if (options.decider) decider = options.decider(attempt.decider);
    if (!decider) return findings.not_checked();
  }
  const Decision again = decide_again(stage, attempt, decider, moves);
  if (again == attempt.decision) return;
  findings.add("I6", say("attempt ", attempt.number, " of task ", attempt.task.value(),
                         " was decided as ", name_of(attempt.decision.kind), " by rule ",
                         name_of(attempt.decision.rule), ", and deciding again gives ",
                         name_of(again.kind), " by rule ", name_of(again.rule),
                         again.kind == attempt.decision.kind && again.rule == attempt.decision.rule
                             ? " with other particulars"
                             : ""));
}

/// I9: no attempt was opened before the moment its predecessor's decision named.
void check_delay(const Attempt& before, Timestamp opened_at, AttemptNumber number,
                 Findings& findings) {
  const Decision& decision = before.decision;
  if (decision.kind != DecisionKind::retry || opened_at >= decision.next_run_at) return;
  findings.add("I9",
               say("attempt ", number, " of task ", before.task.value(), " was opened at ",
                   rfc3339(opened_at), ", before its time at ", rfc3339(decision.next_run_at)));
}

void check_delays(const Task& task, const std::vector<Attempt>& attempts, Findings& findings) {
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    // A rerun waits for nothing.
    if (attempts[i].epoch != attempts[i - 1].epoch || is_imported(attempts[i])) continue;
    check_delay(attempts[i - 1], attempts[i].opened_at, attempts[i].number, findings);
  }
  const auto* running = std::get_if<Running>(&task.state);
  if (running != nullptr && !attempts.empty() && attempts.back().epoch == task.epoch) {
    check_delay(attempts.back(), running->opened_at, task.attempts, findings);
  }
}

}  // namespace

void Findings::add(std::string_view invariant, std::string message) {
  ++into_.violation_count;
  if (into_.violations.size() >= violations_max) return;
  into_.violations.push_back({.invariant = std::string(invariant),
                              .message = std::move(message),
                              .job = job_,
                              .item = item_,
                              .task = task_});
}

void check_task(const StageDefinition& stage, const Task& task,
                const std::vector<Attempt>& attempts, std::span<const std::int64_t> moves,
                const VerifyOptions& options, Findings& findings) {
  findings.about(task);
  check_numbers(task, attempts, findings);
  check_counts(stage, task, attempts, findings);
  check_delays(task, attempts, findings);
  for (const Attempt& attempt : attempts) check_decision(stage, attempt, moves, options, findings);
}

void check_expansion(const Task& parent, const Expanded& rows, Findings& findings) {
  const auto* expanded = std::get_if<Expanded>(&parent.state);
  if (expanded == nullptr || *expanded == rows) return;
  findings.about(parent);
  findings.add("I3",
               say("task ", parent.id.value(), " counts ", expanded->children, " children, ",
                   expanded->open, " open and ", expanded->failed, " failed, where the rows are ",
                   rows.children, ", ", rows.open, " and ", rows.failed));
}

void check_review(const Review& review, const Task& task, Findings& findings) {
  findings.about(task);
  const std::string name = say("review ", review.id.value());
  const bool pending =
      review.status == ReviewStatus::open || review.status == ReviewStatus::answered;
  const bool wants_answer =
      review.status == ReviewStatus::answered || review.status == ReviewStatus::closed;
  if (wants_answer && !review.answer) {
    findings.add("I8", say(name, " is ", name_of(review.status), " without an answer"));
  }
  if (review.status == ReviewStatus::open && review.answer) {
    findings.add("I8", say(name, " is open and has an answer"));
  }
  if (pending && task.kind() != StateKind::awaiting_review) {
    findings.add("I8", say(name, " waits for a person, but task ", task.id.value(), " is ",
                           name_of(task.kind())));
  }
  if (pending && task.epoch != review.epoch) {
    findings.add("I8", say(name, " waits in epoch ", review.epoch, ", but task ", task.id.value(),
                           " is in epoch ", task.epoch));
  }
  if (review.status != ReviewStatus::closed || !review.answer) return;

  // Nothing but a rerun, with a new epoch, goes back behind an answer.
  const bool same_epoch = task.epoch == review.epoch;
  bool took_effect = true;
  switch (review.answer->outcome) {
    case ReviewOutcome::approve:
      took_effect = !same_epoch || task.kind() == StateKind::succeeded;
      break;
    case ReviewOutcome::approve_with_edits: {
      const auto* succeeded = std::get_if<Succeeded>(&task.state);
      took_effect = !same_epoch || (succeeded != nullptr && succeeded->edited_by == review.id);
      break;
    }
    case ReviewOutcome::reject: {
      const auto* failed = std::get_if<Failed>(&task.state);
      const auto* cancelled = std::get_if<Cancelled>(&task.state);
      took_effect = !same_epoch ||
                    (failed != nullptr && failed->cause == FailCause::rejected_by_review) ||
                    (cancelled != nullptr && cancelled->cause == CancelCause::rejected);
      break;
    }
    case ReviewOutcome::request_changes: {
      // A child whose parent was run again is superseded with its expansion.
      const auto* cancelled = std::get_if<Cancelled>(&task.state);
      took_effect = task.epoch > review.epoch || (task.child && cancelled != nullptr &&
                                                  cancelled->cause == CancelCause::superseded);
      break;
    }
  }
  if (took_effect) return;
  findings.add("I8", say(name, " was closed with ", name_of(review.answer->outcome), ", but task ",
                         task.id.value(), " is ", name_of(task.kind()), " in epoch ", task.epoch));
}

}  // namespace pawl::store
