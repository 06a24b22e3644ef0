#pragma once

/// The pure core: decides what happens after an attempt.
///
/// The same arguments give the same answer: no clock, no I/O, no randomness. The record of a closed
/// attempt contains every input of its decision, so running `decide` on the record again gives the
/// recorded decision. `verify` does exactly that (invariant I6).

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "pawl/core/attempt.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

/// Decides about a closed attempt whose `decision` is not set yet. Reads number, result, error,
/// verdict, counts_before, attempts_cap, cancelled_by, graceful, ran, ended_at (which serves as
/// `now`), and the policies of the stage.
[[nodiscard]] Decision decide(const StageDefinition& stage, const Attempt& closed);

/// The policies that apply to a fan-out child: those of its stage, except that the gates and an
/// `always` review belong to the join, and the parent decides what a failed child means.
[[nodiscard]] StageDefinition policies_of_child(StageDefinition stage);

/// The possible answers of a custom decider.
struct Retry {
  Duration delay{0};
  std::string reason;
};
struct MarkDead {
  std::string reason;
};
struct Escalate {
  std::string reason;
};
struct Accept {
  std::string reason;
};
using Advice = std::variant<Retry, MarkDead, Escalate, Accept>;

/// Turns a custom decider's advice into a decision, with the counts kept as the default would keep
/// them. Only failures, timeouts, blocked attempts and rejections are passed to a custom decider;
/// `decide` handles everything else. Accept needs an output: without one the advice is ignored and
/// the default decides, which the rule shows.
[[nodiscard]] Decision decide_as_advised(const StageDefinition& stage, const Attempt& closed,
                                         const Advice& advice);
[[nodiscard]] bool is_put_to_decider(const Attempt& closed);

/// Replaces the default policy for attempts that failed, were blocked or were rejected. Must be
/// pure: `verify` calls it again and expects the same answer.
using Decider = std::function<Advice(const StageDefinition&, const Attempt&)>;

/// The delay before the attempt that follows the `failures`-th failure (counted from 1), in whole
/// microseconds. Jitter is derived from (task, attempt) and only lengthens the delay.
[[nodiscard]] Duration backoff_delay(const Backoff& backoff, std::uint32_t failures, TaskId task,
                                     AttemptNumber attempt);

/// The feedback for the next attempt if no gate gave any: "attempt timed out after 120000ms",
/// "Error: …". None after a success, an interruption or a rate limit.
[[nodiscard]] std::optional<Feedback> synthesised_feedback(const StageDefinition& stage,
                                                           const Attempt& closed);

/// The error details that name the gate which exceeded its timeout.
[[nodiscard]] Json details_of_overrun(const GateRef& gate);

/// One sentence for people: the rule with its numbers. "refine.attempts 1/3: rerun with feedback".
[[nodiscard]] std::string explain(const StageDefinition& stage, const Attempt& closed);

}  // namespace pawl
