#pragma once

/// Random numbers from a seed, the same on every machine, and small random workflows.

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "contract/drive.hpp"

namespace pawl::driving {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// 0 … sides − 1. The distributions of standard libraries differ; this one is always the same.
  std::uint64_t below(std::uint64_t sides) { return sides == 0 ? 0 : engine_() % sides; }
  bool one_in(std::uint64_t sides) { return below(sides) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(from.size()))];
  }
  template <class T>
  T any_of(std::initializer_list<T> from) {
    return *(from.begin() + static_cast<std::ptrdiff_t>(below(from.size())));
  }

 private:
  std::mt19937_64 engine_;
};

/// A stage with random policies that needs some of the stages before it.
inline StageDefinition random_stage(Dice& dice, std::size_t place,
                                    const std::vector<StageDefinition>& before) {
  using namespace std::chrono_literals;
  StageDefinition made = stage("s" + std::to_string(place));
  for (const StageDefinition& one : before) {
    if (one.scope == Scope::item && dice.one_in(2)) made.needs.push_back(one.name);
  }
  made.retry.max_attempts = static_cast<std::uint32_t>(1 + dice.below(3));
  made.retry.backoff = {.initial = dice.any_of<Duration>({0s, 1s, 3'000'001us}),
                        .multiplier = 2.0,
                        .jitter = dice.one_in(4) ? 0.1 : 0.0};
  made.retry.max_interruptions = dice.any_of({0U, 1U, 3U, 20U});
  if (dice.one_in(4)) {
    made.retry.max_attempts = 1;
    made.retry.retry_attempts = static_cast<std::uint32_t>(1 + dice.below(3));
    made.retry.refine_attempts = static_cast<std::uint32_t>(1 + dice.below(3));
  }
  if (dice.one_in(3)) made.retry.on_exhausted = OnExhausted::escalate;
  if (dice.one_in(2)) made.gates = {{.name = "gate"}};
  made.review = dice.any_of({ReviewPolicy::never, ReviewPolicy::never, ReviewPolicy::always,
                             ReviewPolicy::on_escalation, ReviewPolicy::on_uncertain});
  made.on_failure = dice.any_of({OnFailure::dead_letter, OnFailure::dead_letter,
                                 OnFailure::dead_letter, OnFailure::proceed, OnFailure::stop_job});
  if (dice.one_in(3)) {
    made.limits = {.pool = "pool", .parallel = static_cast<std::uint32_t>(1 + dice.below(2))};
  }
  if (dice.one_in(4)) {
    made.limits.rate = {.count = static_cast<std::uint32_t>(1 + dice.below(3)),
                        .per = dice.any_of<Duration>({1s, 2'500'000us})};
  }
  made.conditional = dice.one_in(6);
  made.joins = dice.one_in(6);
  if (dice.one_in(4)) made.tolerate_failures.count = static_cast<std::int64_t>(dice.below(2));
  if (!made.needs.empty() && dice.one_in(3)) made.changes_rerun = dice.pick(made.needs);
  return made;
}

inline Workflow random_workflow(Dice& dice) {
  for (;;) {
    std::vector<StageDefinition> stages;
    const std::size_t count = 1 + static_cast<std::size_t>(dice.below(4));
    for (std::size_t i = 0; i < count; ++i) stages.push_back(random_stage(dice, i, stages));
    if (dice.one_in(3)) {
      StageDefinition reduce = stage("reduce", {stages.back().name});
      reduce.scope = Scope::all;
      reduce.retry.max_attempts = 2;
      stages.push_back(reduce);
      if (dice.one_in(2)) {
        StageDefinition post = stage("post", {"reduce"});
        post.scope = Scope::all;
        stages.push_back(post);
      }
    }
    const auto compiled = compile({.name = "random", .stages = stages});
    if (compiled) return *compiled;
  }
}

/// A random result of a task's code.
inline Work random_work(Dice& dice, const StageDefinition& definition, const Task& task) {
  using namespace std::chrono_literals;
  Work work{.closed = succeeded(Json(static_cast<std::int64_t>(dice.below(100)))), .children = {}};
  Attempt& closed = work.closed;
  closed.usage = {.cost_microusd = static_cast<std::int64_t>(dice.below(5)),
                  .tokens = static_cast<std::int64_t>(dice.below(9))};
  if (!definition.gates.empty()) {
    closed.verdict =
        dice.any_of({Verdict::accepted, Verdict::accepted, Verdict::rejected, Verdict::uncertain});
    if (*closed.verdict == Verdict::rejected) {
      closed.feedback = Feedback{.summary = "poor",
                                 .criteria = {{"words", "100", "7", false}},
                                 .guidance = Json::object({{"hint", "more"}})};
    }
    if (*closed.verdict == Verdict::uncertain) closed.verdict_reason = "hard to say";
    if (dice.one_in(2)) {
      closed.assessments = {{.gate = definition.gates.front().name,
                             .verdict = *closed.verdict,
                             .summary = "looked at it",
                             .criteria = {{"words", "100", "107", true}},
                             .parts = {{.gate = "1", .criteria = {{"tables", "4", "3", false}}}}}};
    }
  }
  const auto fails = [&](ErrorClass error_class) {
    const Usage used = closed.usage;
    closed = failed("broken", error_class, ErrorKind::exit, "75");
    closed.usage = used;
  };
  switch (dice.below(12)) {
    case 0:
      fails(ErrorClass::final);
      break;
    case 1:
    case 2:
      fails(ErrorClass::retryable);
      if (dice.one_in(3)) closed.error->retry_after = dice.any_of<Duration>({1s, 2'500'000us});
      break;
    case 3:
      fails(ErrorClass::rate_limited);
      if (dice.one_in(2)) closed.error->retry_after = dice.any_of<Duration>({1s, 2'500'000us});
      break;
    case 4:
      fails(ErrorClass::blocked);
      closed.result = AttemptResult::blocked;
      break;
    case 5:
      fails(ErrorClass::retryable);
      closed.result = AttemptResult::timed_out;
      closed.error->kind = ErrorKind::timeout;
      break;
    case 6:
      if (task.child || task.cause == Cause::join) break;
      closed = {};
      closed.result = AttemptResult::expanded;
      for (std::uint64_t i = dice.below(4); i > 0; --i) {
        work.children.push_back({.key = "c" + std::to_string(i), .data = Json(i)});
      }
      break;
    case 7:
      closed = {};
      closed.result = dice.one_in(2) ? AttemptResult::skipped : AttemptResult::needs_review;
      break;
    case 8:
      closed = {};
      closed.result = AttemptResult::interrupted;
      closed.graceful = dice.one_in(2);
      closed.ran = dice.one_in(2);
      break;
    default:
      break;
  }
  return work;
}

}  // namespace pawl::driving
