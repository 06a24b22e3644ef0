#pragma once

/// The outcome of one attempt: its result, its error with a class, the verdict of its gates and the
/// feedback for the next attempt. Work, judgement and policy stay separate: a rejected output is a
/// success with a rejected verdict.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

// The numbers below are stored. Never change them; add at the end.

/// How an attempt ended, before any judgement.
enum class AttemptResult : std::uint8_t {
  success = 1,
  failure = 2,
  timed_out = 3,
  blocked = 4,
  skipped = 5,
  needs_review = 6,
  expanded = 7,
  cancelled = 8,
  interrupted = 9,
};

/// Why an attempt was started.
enum class Cause : std::uint8_t {
  first = 1,
  error_retry = 2,  ///< also after a timeout or a gate error
  gate_feedback = 3,
  rate_limited = 4,
  interrupted = 5,
  review_changes = 6,
  manual = 7,
  join = 8,  ///< the children of an expansion have ended; the parent is judged
};

enum class Verdict : std::uint8_t { accepted = 1, rejected = 2, uncertain = 3 };

/// Set where the error arises, never guessed from text.
enum class ErrorClass : std::uint8_t { final = 1, retryable = 2, rate_limited = 3, blocked = 4 };

enum class ErrorKind : std::uint8_t {
  exit = 1,
  signal = 2,
  timeout = 3,
  protocol = 4,
  http = 5,
  exception = 6,
  gate = 7,
  reported = 8,  ///< the stage returned the error itself
};

struct StageError {
  ErrorClass error_class = ErrorClass::retryable;
  ErrorKind kind = ErrorKind::reported;
  std::string code;     ///< "75", "http_429", "stage_timeout", "gate_timeout"; may be empty
  std::string message;  ///< for people and for grouping dead letters
  /// The hint of the other side. A rate limit waits this long and uses no attempt; after another
  /// retryable error it is the least delay of the next attempt, and the attempt counts.
  std::optional<Duration> retry_after;
  Json details;
  /// The name of the user's text classifier, if the class came from one.
  std::string classified_by;
  friend bool operator==(const StageError&, const StageError&) = default;
};

struct Criterion {
  std::string name;
  std::string expected;
  std::string actual;
  bool passed = false;
  friend bool operator==(const Criterion&, const Criterion&) = default;
};

/// What the next attempt learns about the previous one.
struct Feedback {
  std::string summary;
  std::vector<Criterion> criteria;
  Json guidance;

  [[nodiscard]] std::size_t failure_count() const;
  [[nodiscard]] bool all_passed() const { return failure_count() == 0; }
  friend bool operator==(const Feedback&, const Feedback&) = default;
};

/// What one gate checked and found, whatever its verdict.
struct Assessment {
  std::string gate;
  Verdict verdict = Verdict::accepted;  ///< as the gate gave it, before its `on_uncertain`
  bool advisory = false;
  std::string summary;  ///< one line; of an uncertain verdict, the reason. May be empty
  std::vector<Criterion> criteria;
  std::vector<Assessment> parts;  ///< of a composed gate: what its gates found
  friend bool operator==(const Assessment&, const Assessment&) = default;
};
/// The summaries of the gates that are not advisory, as one line: "4 of 4 criteria met", or if
/// several gave one "structure: 4 of 4 criteria met; style: no passive voice".
[[nodiscard]] std::string summary_of(const std::vector<Assessment>& assessments);

/// What an attempt consumed. The sums are kept per job.
struct Usage {
  std::int64_t cost_microusd = 0;
  std::int64_t tokens = 0;
  friend Usage operator+(Usage a, const Usage& b) {
    a.cost_microusd += b.cost_microusd;
    a.tokens += b.tokens;
    return a;
  }
  friend bool operator==(const Usage&, const Usage&) = default;
};

enum class ArtifactKind : std::uint8_t {
  standard_output = 1,
  standard_error = 2,
  file = 3,
  url = 4,
  json = 5
};

/// Something an attempt produced beside its output, such as a log or a file: a summary and a
/// reference, never the bytes.
struct ArtifactRecord {
  ArtifactKind kind = ArtifactKind::json;
  std::string name;
  std::string reference;  ///< a path, a URL, or "sha256:…" of a payload file
  std::string sha256;
  std::int64_t size = 0;
  Json summary;
  friend bool operator==(const ArtifactRecord&, const ArtifactRecord&) = default;
};

}  // namespace pawl
