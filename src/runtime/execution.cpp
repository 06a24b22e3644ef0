#include "runtime/execution.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/record_text.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/results.hpp"
#include "runtime/judge.hpp"
#include "runtime/overrun.hpp"
#include "runtime/task_context.hpp"
#include "store/patience.hpp"

namespace pawl::runtime {

namespace {

void repair_text(Output& output) {
  make_text_valid(output.json);
  make_text_valid(output.summary);
  for (ArtifactRecord& artifact : output.artifacts) make_text_valid(artifact);
}

std::size_t bytes_of(const std::vector<Json>& values) {
  std::size_t sum = 0;
  for (const Json& value : values) sum += value.size();
  return sum;
}

void repair_text(FanOut& fan_out) {
  make_text_valid(fan_out.summary);
  for (NewChild& child : fan_out.children) make_text_valid(child);
}

/// Whether an output stands in the record itself. A long one is kept as a payload; so is one that
/// looks like a reference to a payload, or a stage could name the payload of another.
bool stands_in_record(const Json& output) {
  return output.size() <= inline_output_max && !is_payload_reference(output);
}

/// One execution, from the start of the code to the verdict.
class Execution {
 public:
  Execution(const std::shared_ptr<const OpenAttempt>& attempt, Timestamp started_at,
            const ExecutionPorts& ports)
      : attempt_(attempt),
        ports_(ports),
        stage_(attempt->stage()),
        context_(attempt, ports.store, deadline(attempt->stage(), started_at)) {
    finished_->task = attempt->task.id;
    finished_->version = attempt->task.version;
    finished_->draft.started_at = started_at;
  }

  Context& context() { return context_; }

  void take(Outcome outcome) {
    std::visit([this](auto& one) { take_one(std::move(one)); }, outcome);
  }
  void take_exception(const std::string& what) {
    take_one(StageError{
        .error_class = ErrorClass::retryable, .kind = ErrorKind::exception, .message = what});
  }

  /// An attempt past its deadline has timed out, whatever it brought. Otherwise the gates judge a
  /// success, and the deadline is checked after each gate.
  void judge() {
    Attempt& draft = finished_->draft;
    if (is_late()) {
      time_out(nullptr);
    } else if (draft.result == AttemptResult::success && !attempt_->task.child) {
      ask_gates();  // of a fan-out the gates judge the join, not each child
    }
  }

  std::unique_ptr<Finished> end() {
    if (attempt_->missed_store && finished_->draft.result == AttemptResult::failure) hand_back();
    finished_->draft.ended_at = ports_.clock->now();
    return std::move(finished_);
  }

 private:
  static Timestamp deadline(const StageDefinition& stage, Timestamp started_at) {
    const Duration timeout = stage.retry.attempt_timeout;
    return timeout > Duration::zero() ? started_at + timeout : no_time;
  }

  [[nodiscard]] bool is_late() const {
    return context_.deadline() != no_time && ports_.clock->now() >= context_.deadline();
  }

  /// It could not read what it needed, which is no fault of its own: another attempt will.
  void hand_back() {
    Attempt& draft = finished_->draft;
    draft.summary = "the store did not answer: " + (draft.error ? draft.error->message : "");
    draft.result = AttemptResult::interrupted;
    draft.graceful = true;
    draft.error.reset();
  }

  /// What it brought all the same, artifacts and usage, stays in the record.
  void time_out(const GateRef* gate) {
    Attempt& draft = finished_->draft;
    if (draft.summary.empty() || draft.error) draft.summary = "Attempt timed out";
    draft.result = AttemptResult::timed_out;
    draft.error = overrun(stage_, gate);
    draft.verdict.reset();
    draft.feedback.reset();
    finished_->children.clear();
  }

  void take_one(Output output) {
    Attempt& draft = finished_->draft;
    draft.result = AttemptResult::success;
    if (output.json.is_null()) output.json = output.typed.json();
    finished_->typed = output.typed;
    draft.usage = output.usage;
    take_alternatives(std::move(output.alternatives), output.artifacts);
    const bool is_short = stands_in_record(output.json);
    if (is_short && (stage_.gates.empty() || attempt_->task.child)) {
      draft.summary = std::move(output.summary);
      draft.artifacts = std::move(output.artifacts);
      draft.output = std::move(output.json);
      return;
    }
    output_ = std::move(output);  // the gates want to see it too
    repair_text(output_);         // gates judge, and a file keeps, what the record will say
    const bool is_inline = stands_in_record(output_.json);
    draft.summary = output_.summary;
    draft.artifacts = output_.artifacts;
    if (is_inline) {
      draft.output = output_.json;
      return;
    }
    const Result<std::string> sha256 = kept(output_.json.text());
    if (!sha256) {
      take_one(StageError{.error_class = ErrorClass::retryable,
                          .kind = ErrorKind::protocol,
                          .code = "payload",
                          .message = "the output could not be kept: " + sha256.error().message});
      return;
    }
    draft.output = payload_reference(*sha256, output_.json.size());
  }

  /// Too many of them would swell the record. An artifact then says what is missing.
  void take_alternatives(std::vector<Json> alternatives, std::vector<ArtifactRecord>& artifacts) {
    const std::size_t bytes = bytes_of(alternatives);
    if (bytes <= inline_output_max) {
      finished_->draft.alternatives = std::move(alternatives);
      return;
    }
    artifacts.push_back(
        {.kind = ArtifactKind::json,
         .name = "alternatives that are too long to record",
         .reference = {},
         .sha256 = {},
         .summary = Json::object({{"alternatives", static_cast<std::int64_t>(alternatives.size())},
                                  {"bytes", static_cast<std::int64_t>(bytes)}})});
  }

  /// A full disk is not the stage's fault, and may have room again.
  Result<std::string> kept(std::string_view text) {
    const auto keep = [&] { return ports_.store->keep_payload(text); };
    if (!ports_.may_wait) return keep();
    return store::ask_patiently(
        {.stop = attempt_->stop.get_token(),
         .on_trouble = ports_.trouble,
         .on_wait = [this](bool waits) { context_.set_waits_for_store(waits); }},
        keep);
  }

  void take_one(StageError error) {
    Attempt& draft = finished_->draft;
    draft.result =
        error.error_class == ErrorClass::blocked ? AttemptResult::blocked : AttemptResult::failure;
    draft.summary = "Error: " + error.message;
    draft.error = std::move(error);
  }

  void take_one(Failure failure) {
    take_alternatives(std::move(failure.alternatives), failure.artifacts);
    finished_->draft.artifacts = std::move(failure.artifacts);
    finished_->draft.usage = failure.usage;
    take_one(std::move(failure.error));
  }

  void take_one(Skip skip) {
    take_alternatives(std::move(skip.alternatives), skip.artifacts);
    finished_->draft.result = AttemptResult::skipped;
    finished_->draft.summary = std::move(skip.why);
    finished_->draft.artifacts = std::move(skip.artifacts);
    finished_->draft.usage = skip.usage;
  }

  void take_one(NeedsReview asked) {
    take_one(std::move(asked.output));
    if (finished_->draft.result != AttemptResult::success) return;
    finished_->draft.result = AttemptResult::needs_review;
    if (!asked.why.empty()) finished_->draft.summary = std::move(asked.why);
  }

  void take_one(FanOut fan_out) {
    repair_text(fan_out);  // keys that differ in broken bytes alone are the same key
    std::set<std::string_view> keys;
    for (const NewChild& child : fan_out.children) {
      if (child.key.empty() || !keys.insert(child.key).second) {
        take_one(StageError{.error_class = ErrorClass::final,
                            .kind = ErrorKind::protocol,
                            .code = "child_key",
                            .message = child.key.empty() ? "a fan-out child has an empty key"
                                                         : "two fan-out children have the key '" +
                                                               child.key + "'"});
        return;
      }
    }
    if (attempt_->task.child) {
      take_one(StageError{.error_class = ErrorClass::final,
                          .kind = ErrorKind::protocol,
                          .code = "nested_fan_out",
                          .message = "a fan-out child cannot fan out again"});
      return;
    }
    finished_->draft.result = AttemptResult::expanded;
    finished_->draft.summary = std::move(fan_out.summary);
    finished_->children = std::move(fan_out.children);
  }

  void ask_gates() {
    if (stage_.gates.empty()) return;
    std::vector<Attempt> previous;
    if (attempt_->task.attempts > 1) {
      if (auto history = context_.history()) previous = std::move(*history);
    }
    const GateContext context{.task = context_,
                              .output = output_,
                              .attempt = attempt_->task.attempts,
                              .max_attempts = stage_.retry.attempts_max(),
                              .previous_attempts = previous};
    const auto has_limit = [&](const GateRef& gate) {
      return stage_.timeout_of(gate) > Duration::zero();
    };
    const bool any_limit = std::ranges::any_of(stage_.gates, has_limit);
    std::vector<GateSay> says;
    for (std::size_t i = 0; i < stage_.gates.size(); ++i) {
      const GateRef& gate = stage_.gates[i];
      const Timestamp asked_at = ports_.clock->now();
      if (any_limit) {
        ports_.gate_started(*attempt_, i, asked_at);
      }
      Judgement said;
      std::optional<std::string> failed;
      try {
        said = attempt_->code->gates.at(gate.name)(context, attempt_->stop.get_token());
        finished_->draft.usage = finished_->draft.usage + said.usage;
      } catch (const std::exception& thrown) {
        failed = thrown.what();
      } catch (...) {
        failed = "the gate threw a value that is not a std::exception";
      }
      // A gate that took too long has timed out, even if it returned or threw.
      const Duration took = ports_.clock->now() - asked_at;
      if (has_limit(gate) && took >= stage_.timeout_of(gate)) return time_out(&gate);
      if (is_late()) return time_out(nullptr);
      if (failed) {
        if (!gate.advisory) return gate_error(gate.name, *failed);
      } else if (gate.advisory) {
        note_advice(gate.name, said);
        record(gate, std::move(said));
      } else {
        record(gate, said);
        says.push_back({.gate = gate.name, .judgement = apply_on_uncertain(gate, std::move(said))});
      }
    }
    if (says.empty()) return;
    Judgement together = combine(stage_.gate_mode, says);
    finished_->draft.verdict = together.verdict;
    finished_->draft.verdict_reason = std::move(together.reason);
    if (together.verdict == Verdict::rejected)
      finished_->draft.feedback = std::move(together.feedback);
  }

  /// What people see of the gate, whatever it decides.
  void record(const GateRef& gate, Judgement said) {
    Assessment assessment = assessment_of(gate.name, std::move(said));
    assessment.advisory = gate.advisory;
    finished_->draft.assessments.push_back(std::move(assessment));
  }

  /// Only a gate's own setting opts out of asking a person about its doubts.
  static Judgement apply_on_uncertain(const GateRef& gate, Judgement said) {
    if (said.verdict != Verdict::uncertain) return said;
    switch (gate.on_uncertain) {
      case OnUncertain::review:
        return said;
      case OnUncertain::accept:
        return {.usage = said.usage};
      case OnUncertain::reject:
        said.verdict = Verdict::rejected;
        said.feedback.summary = std::exchange(said.reason, {});
        return said;
    }
    return said;
  }

  void note_advice(const std::string& gate, const Judgement& said) {
    const std::string text =
        valid_text(said.verdict == Verdict::rejected ? said.feedback.summary : said.reason);
    finished_->draft.artifacts.push_back(
        {.kind = ArtifactKind::json,
         .name = "advice of gate " + gate,
         .reference = {},
         .sha256 = {},
         .summary =
             Json::object({{"verdict", std::string(name_of(said.verdict))}, {"text", text}})});
  }

  /// A gate that cannot run accepts nothing; the output stays in the record.
  void gate_error(const std::string& gate, const std::string& what) {
    Attempt& draft = finished_->draft;
    draft.result = AttemptResult::failure;
    draft.error = StageError{.error_class = ErrorClass::retryable,
                             .kind = ErrorKind::gate,
                             .code = gate,
                             .message = "gate '" + gate + "' failed: " + what};
  }

  const std::shared_ptr<const OpenAttempt>& attempt_;
  const ExecutionPorts& ports_;
  const StageDefinition& stage_;
  TaskContext context_;
  Output output_;
  std::unique_ptr<Finished> finished_ = std::make_unique<Finished>();
};

/// An asynchronous attempt in flight. The first completion counts.
class AsyncInFlight final : public AsyncAttempt {
 public:
  AsyncInFlight(std::shared_ptr<const OpenAttempt> attempt, Timestamp started_at,
                Timestamp deadline, const ExecutionPorts& ports)
      : attempt_(std::move(attempt)),
        started_at_(started_at),
        completed_(ports.completed),
        context_(attempt_, ports.store, deadline) {}

  Context& context() override { return context_; }
  [[nodiscard]] std::stop_token stop_token() const override { return attempt_->stop.get_token(); }
  void complete(Outcome outcome) override {
    if (!done_.exchange(true)) completed_(attempt_, started_at_, std::move(outcome));
  }

 private:
  std::shared_ptr<const OpenAttempt> attempt_;
  Timestamp started_at_;
  std::function<void(std::shared_ptr<const OpenAttempt>, Timestamp, Outcome)> completed_;
  TaskContext context_;
  std::atomic<bool> done_ = false;
};

/// Which function this attempt runs; none for a human stage and for a join without code, which
/// hand on what they got.
const StageFunction* function_of(const OpenAttempt& attempt) {
  if (!attempt.code) return nullptr;
  const StageCode& code = *attempt.code;
  if (attempt.task.child && code.each) return &code.each;
  if (attempt.task.cause == Cause::join) return code.join ? &code.join : nullptr;
  return code.work ? &code.work : nullptr;
}

/// What an attempt without code of its own brings: a human stage shows its input, a join sums up
/// its children.
Outcome handed_on(Context& context, const OpenAttempt& attempt) {
  if (attempt.task.cause == Cause::join) {
    std::int64_t total = 0;
    std::int64_t succeeded = 0;
    const Status counted = context.for_each_child([&](const EndedChild& child) {
      ++total;
      if (child.state == StateKind::succeeded) ++succeeded;
      return true;
    });
    if (!counted) return retryable(counted.error().message);
    return Output{.json = Json::object({{"children", total}, {"succeeded", succeeded}})};
  }
  const Workflow& workflow = attempt.plan->workflow;
  const StagePlan& plan = workflow.plan(attempt.task.stage());
  if (plan.needs.size() == 1) {
    const auto only = context.upstream(workflow.stage(plan.needs.front()).name);
    if (!only) return retryable(only.error().message);
    return Output{.json = only->json, .summary = {}, .typed = only->typed};
  }
  if (plan.needs.empty()) return Output{.json = context.data()};
  std::vector<std::pair<std::string, Json>> inputs;
  for (const StageIndex need : plan.needs) {
    const std::string& name = workflow.stage(need).name;
    const auto input = context.upstream(name);
    if (!input) return retryable(input.error().message);
    inputs.emplace_back(name, input->json);
  }
  return Output{.json = Json::object(inputs)};
}

}  // namespace

std::unique_ptr<Finished> execute(const std::shared_ptr<const OpenAttempt>& attempt,
                                  const ExecutionPorts& ports) {
  const Timestamp started_at = ports.clock->now();
  const RetryPolicy& retry = attempt->stage().retry;
  if (retry.attempt_timeout > Duration::zero()) {
    ports.started(*attempt, started_at);
  }
  Execution execution(attempt, started_at, ports);
  const StageFunction* function = function_of(*attempt);
  const bool is_async = function == nullptr && attempt->code && attempt->code->async_work &&
                        attempt->task.cause != Cause::join;
  try {
    if (!attempt->condition_error.empty()) throw std::runtime_error(attempt->condition_error);
    if (is_async) {
      attempt->code->async_work(std::make_shared<AsyncInFlight>(
          attempt, started_at, execution.context().deadline(), ports));
      return nullptr;
    }
    execution.take(function != nullptr ? (*function)(execution.context(), attempt->stop.get_token())
                                       : handed_on(execution.context(), *attempt));
  } catch (const std::exception& thrown) {
    execution.take_exception(thrown.what());
  } catch (...) {
    execution.take_exception("the stage threw a value that is not a std::exception");
  }
  execution.judge();
  return execution.end();
}

std::unique_ptr<Finished> finish_async(const std::shared_ptr<const OpenAttempt>& attempt,
                                       Timestamp started_at, Outcome outcome,
                                       const ExecutionPorts& ports) {
  Execution execution(attempt, started_at, ports);
  execution.take(std::move(outcome));
  execution.judge();
  return execution.end();
}

}  // namespace pawl::runtime
