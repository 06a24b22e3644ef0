#pragma once

/// The pure core: what an observation means.
///
/// Same arguments, same answer; no clock, no I/O, no randomness. Every input of a decision about a
/// closed attempt stands in the attempt's record, so running `decide` over the record again gives
/// the recorded decision. `verify` does exactly that (invariant I6).

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "pawl/core/attempt.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

/// Decides about a closed attempt whose `decision` is not yet set. Reads: number, result, error,
/// verdict, counts_before, attempts_cap, cancelled_by, graceful, ran, ended_at (which is `now`),
/// and the stage's policies.
[[nodiscard]] Decision decide(const StageDefinition& stage, const Attempt& closed);

/// The policies that hold for a fan-out child: as its stage's, but the gates and an `always` review
/// are the join's, and its failure is its parent's to judge.
[[nodiscard]] StageDefinition policies_of_child(StageDefinition stage);

/// What a custom decider may answer.
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

/// Turns a custom decider's advice into a decision, with the counts kept as the default would.
/// Only failures, timeouts, blocked attempts and rejections are put to a custom decider; anything
/// else is decided by `decide`. Accept needs an output: without one it is refused and the default
/// decides, which the rule shows.
[[nodiscard]] Decision decide_as_advised(const StageDefinition& stage, const Attempt& closed,
                                         const Advice& advice);
[[nodiscard]] bool is_put_to_decider(const Attempt& closed);

/// Replaces the default policy for what failed, was blocked or was rejected. Pure: it is run again
/// by `verify`, and must answer the same.
using Decider = std::function<Advice(const StageDefinition&, const Attempt&)>;

/// The delay before the attempt that follows the `failures`-th failure (counted from 1), in whole
/// microseconds. Jitter is derived from (task, attempt) and only lengthens.
[[nodiscard]] Duration backoff_delay(const Backoff& backoff, std::uint32_t failures, TaskId task,
                                     AttemptNumber attempt);

/// The feedback an attempt's end gives to the next one where no gate spoke: "attempt timed out
/// after 120000ms", "Error: …". None after a success, an interruption or a rate limit.
[[nodiscard]] std::optional<Feedback> synthesised_feedback(const StageDefinition& stage,
                                                           const Attempt& closed);

/// The details by which the error of an attempt names the gate that overran its timeout.
[[nodiscard]] Json details_of_overrun(const GateRef& gate);

/// One sentence for people: what the rule was, with its numbers. "refine.attempts 1/3: rerun with
/// feedback".
[[nodiscard]] std::string explain(const StageDefinition& stage, const Attempt& closed);

}  // namespace pawl
