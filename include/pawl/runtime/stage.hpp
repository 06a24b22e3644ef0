#pragma once

/// What users of the library write: stages, gates and deciders, as ordinary functions.
///
///   pawl::Outcome convert(pawl::Context& context, std::stop_token stop) {
///     if (!reachable()) return pawl::retryable("ocr busy");
///     return pawl::Output{.json = pawl::Json::object({{"words", 4214}})};
///   }
///
/// Threads: a stage runs on one of the engine's threads. It runs concurrently for different tasks
/// and never for the same task. An exception counts as a retryable failure. A stage should watch
/// its stop token; one that does not is abandoned after the grace period, and its late result is
/// dropped. A stage never retries by itself: the engine does, and records it.

#include <any>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "pawl/core/attempt.hpp"
#include "pawl/core/decide.hpp"
#include "pawl/core/step.hpp"

namespace pawl {

class Context;

/// A type that says how it becomes JSON: `Json to_json(const T&)`, declared beside the type.
template <class T>
concept HasJson = requires(const T& value) {
  { to_json(value) } -> std::convertible_to<Json>;
};

/// A value of the user's own type, passed on inside this process. It is a cache: after a restart
/// only the JSON exists, so downstream stages must be able to rely on the JSON alone.
class Artifact {
 public:
  Artifact() = default;
  template <class T>
  static Artifact of(T value) {
    Artifact made;
    if constexpr (HasJson<T>) made.json_ = to_json(value);
    made.value_ = std::make_shared<const std::any>(std::in_place_type<T>, std::move(value));
    return made;
  }
  /// The value; null if there is none or it is of another type.
  template <class T>
  [[nodiscard]] const T* as() const {
    return value_ ? std::any_cast<T>(value_.get()) : nullptr;
  }
  [[nodiscard]] bool is_empty() const { return value_ == nullptr; }
  /// The value as JSON; null if its type does not say how it becomes JSON.
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  std::shared_ptr<const std::any> value_;  // shared: gates, history and downstream read it
  Json json_;
};

/// The work is done.
struct Output {
  /// What gates judge, reviewers see and downstream reads. If it is null, the engine takes
  /// `typed.json()`.
  Json json;
  std::string summary;  ///< one line for people
  Artifact typed;
  std::vector<ArtifactRecord> artifacts;
  Usage usage;
  /// What else the stage considered, for deciders and reviewers. At most 64 KiB are recorded.
  std::vector<Json> alternatives = {};
};
/// There is nothing to do for this item. Ends the task without judgement and satisfies its
/// dependents.
struct Skip {
  std::string why;
  std::vector<ArtifactRecord> artifacts = {};
  Usage usage = {};
  std::vector<Json> alternatives = {};
};
/// The work is done, and a person must review it, whatever the policy.
struct NeedsReview {
  Output output;
  std::string why;
};
/// The work splits into children, each a task with attempts of its own.
struct FanOut {
  std::vector<NewChild> children;  ///< with unique keys
  std::string summary;
};

/// A failure with artifacts and usage that must be kept, such as logs and costs.
struct Failure {
  StageError error;
  std::vector<ArtifactRecord> artifacts;
  Usage usage;
  std::vector<Json> alternatives = {};
};

using Outcome = std::variant<Output, StageError, Skip, NeedsReview, FanOut, Failure>;

/// The stage failed and may succeed if tried again. With a hint, the next attempt starts no sooner;
/// the attempt counts all the same.
[[nodiscard]] StageError retryable(std::string message, std::string code = {},
                                   std::optional<Duration> retry_after = std::nullopt);
/// The stage can never succeed: the task fails at once.
[[nodiscard]] StageError final_error(std::string message, std::string code = {});
/// The other side asks to slow down. With a hint, the wait does not count as an attempt.
[[nodiscard]] StageError rate_limited(std::string message,
                                      std::optional<Duration> retry_after = std::nullopt);
/// The stage cannot continue without a person; `needs` says what is missing.
[[nodiscard]] StageError blocked(std::string message, Json needs = {});

using StageFunction = std::function<Outcome(Context&, std::stop_token)>;

/// One attempt of an asynchronous stage. It occupies no thread. `complete` may be called once, from
/// any thread; later calls, and calls after the deadline, are ignored.
class AsyncAttempt {
 public:
  virtual ~AsyncAttempt() = default;
  [[nodiscard]] virtual Context& context() = 0;
  [[nodiscard]] virtual std::stop_token stop_token() const = 0;
  virtual void complete(Outcome outcome) = 0;
};
using AsyncStageFunction = std::function<void(std::shared_ptr<AsyncAttempt>)>;

/// The judgement of a gate about an output.
struct Judgement {
  Verdict verdict = Verdict::accepted;
  /// What the gate checked and found. The summary and the criteria are recorded whatever the
  /// verdict; those of a rejection are also what the next attempt gets.
  Feedback feedback;
  std::string reason;                  ///< of an uncertain verdict
  Usage usage;                         ///< the cost of judging; added to the attempt's own
  std::vector<Assessment> parts = {};  ///< of a composed gate: what its gates found
};
[[nodiscard]] Judgement accepted(Feedback findings = {});
[[nodiscard]] Judgement rejected(Feedback feedback);
[[nodiscard]] Judgement uncertain(std::string reason, Feedback findings = {});
/// The judgement as the record of the attempt keeps it.
[[nodiscard]] Assessment assessment_of(std::string gate, Judgement judgement);

/// What a gate can read.
struct GateContext {
  Context& task;
  const Output& output;
  AttemptNumber attempt = 1;
  std::uint32_t max_attempts = 1;
  const std::vector<Attempt>& previous_attempts;

  [[nodiscard]] std::uint32_t remaining_attempts() const;
  [[nodiscard]] bool is_first_attempt() const { return attempt == 1; }
  [[nodiscard]] bool is_final_attempt() const { return remaining_attempts() == 0; }
};

/// Judges an output. Runs concurrently for different tasks and never for the same task. An
/// exception is a gate error: the attempt fails and nothing is accepted.
using GateFunction = std::function<Judgement(const GateContext&, std::stop_token)>;

/// Accepted if all gates accept. Rejected if any rejects, with the feedback of every gate that
/// rejected. Otherwise uncertain.
[[nodiscard]] GateFunction all_of(std::vector<GateFunction> gates);
/// Accepted if any gate accepts. Otherwise uncertain if any is uncertain. Otherwise rejected.
[[nodiscard]] GateFunction any_of(std::vector<GateFunction> gates);

/// A gate of a composed gate, with its name in the feedback.
struct NamedGate {
  std::string name;
  GateFunction judge;
};
/// Accepted if at least `count` gates accept. Otherwise uncertain if they could be that many once
/// the uncertain ones are decided. Otherwise rejected, with the feedback of every gate that
/// rejected. Every gate is asked.
[[nodiscard]] GateFunction at_least(std::size_t count, std::vector<NamedGate> gates);

/// Whether a stage runs for an item at all. Evaluated when the task is claimed.
using Condition = std::function<bool(Context&)>;

}  // namespace pawl
