#pragma once

/// Scripts for stages and gates: what they answer, attempt by attempt.
///
///   Attempt 1 fails, 2 and later succeed:
///     Script{}.then(fails("503")).then(succeeds({{"words", 12}}))
///   All succeed, but the third attempt of item b hangs:
///     Script{}.then(succeeds()).item("b").attempt(3, hangs())
///   Each takes two hours of virtual time:
///     Script{}.then(succeeds().after(2h))
///
/// Answers are used in order of attempt number, 1, 2, 3 …; the last one is repeated. An answer for
/// one item takes precedence over those for all items. An answer for one attempt takes precedence
/// over the sequence. Attempts that a crash interrupted have a number too.

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/runtime/stage.hpp"

namespace pawl::testing {

/// Answers by item and attempt.
template <class Answer>
class ScriptOf {
 public:
  /// The answer of the next attempt, and of all later ones unless another answer follows.
  ScriptOf& then(Answer answer) {
    lines_[subject_].sequence.push_back(std::move(answer));
    return *this;
  }
  /// The answer of the next `count` attempts.
  ScriptOf& times(std::uint32_t count, const Answer& answer) {
    for (std::uint32_t i = 0; i < count; ++i) then(answer);
    return *this;
  }
  /// The answer of this attempt only.
  ScriptOf& attempt(AttemptNumber number, Answer answer) {
    lines_[subject_].by_number.insert_or_assign(number, std::move(answer));
    return *this;
  }
  /// The answers after this are for this item only. A fan-out child is "item/child".
  ScriptOf& item(std::string key) {
    subject_ = std::move(key);
    return *this;
  }
  /// The answers after this are for all items again.
  ScriptOf& everyone() { return item({}); }

  /// The answer for this attempt; null: the script has none. Records which items and attempts were
  /// asked for.
  [[nodiscard]] const Answer* find(const std::string& item, AttemptNumber number) const {
    for (const std::string& subject : {item, item.substr(0, item.find('/')), std::string{}}) {
      const auto lines = lines_.find(subject);
      if (lines == lines_.end()) continue;
      lines->second.came_up = true;
      const auto exact = lines->second.by_number.find(number);
      if (exact != lines->second.by_number.end()) {
        lines->second.numbers_that_came_up.insert(number);
        return &exact->second;
      }
      const std::vector<Answer>& sequence = lines->second.sequence;
      if (!sequence.empty() && number > 0)
        return &sequence[std::min<std::size_t>(number, sequence.size()) - 1];
    }
    return nullptr;
  }

  /// An item or an attempt in the script that was never asked for.
  struct InVain {
    std::string item;                      ///< empty: all items
    std::optional<AttemptNumber> attempt;  ///< none: all answers for the item
  };
  [[nodiscard]] std::vector<InVain> said_in_vain() const {
    std::vector<InVain> all;
    for (const auto& [subject, lines] : lines_) {
      if (!lines.came_up && !subject.empty()) {
        all.push_back({.item = subject, .attempt = std::nullopt});
        continue;
      }
      for (const auto& [number, answer] : lines.by_number) {
        if (lines.numbers_that_came_up.contains(number)) continue;
        all.push_back({.item = subject, .attempt = number});
      }
    }
    return all;
  }

 private:
  struct Lines {
    std::vector<Answer> sequence;
    std::map<AttemptNumber, Answer> by_number;
    // Asking does not change the answers.
    mutable bool came_up = false;
    mutable std::set<AttemptNumber> numbers_that_came_up;
  };
  std::string subject_;  ///< empty: all items
  std::map<std::string, Lines> lines_;
};

/// What one attempt of a scripted stage does.
struct StageAnswer {
  enum class How : std::uint8_t {
    speaks,        ///< calls `does` when its time has passed
    hangs,         ///< until asked to stop
    ignores_stop,  ///< for good: abandoned when the grace period is over
    crashes,       ///< the process dies during the attempt
  };
  How how = How::speaks;
  StageFunction does;
  Duration takes{0};

  /// The same answer after this much virtual time. Obeys a stop request in the meantime.
  template <class Rep, class Period>
  [[nodiscard]] StageAnswer after(std::chrono::duration<Rep, Period> time) const {
    StageAnswer later = *this;
    later.takes = as_duration(time);
    return later;
  }
};

using Members = std::initializer_list<std::pair<std::string_view, Json>>;

/// Runs any function.
[[nodiscard]] StageAnswer does(StageFunction work);

[[nodiscard]] StageAnswer succeeds();
/// Succeeds with an object: succeeds({{"words", 12}}).
[[nodiscard]] StageAnswer succeeds(Members output);
/// Succeeds with any other value. A template, so that a braced list can only mean an object.
template <std::convertible_to<Json> T>
[[nodiscard]] StageAnswer succeeds(const T& output) {
  return does([json = Json(output)](Context&, const std::stop_token&) -> Outcome {
    return Output{.json = json};
  });
}
/// A retryable failure.
[[nodiscard]] StageAnswer fails(std::string message, std::string code = {});
/// A final failure: never retried.
[[nodiscard]] StageAnswer fails_for_good(std::string message, std::string code = {});
[[nodiscard]] StageAnswer is_rate_limited(std::string message,
                                          std::optional<Duration> retry_after = std::nullopt);
[[nodiscard]] StageAnswer is_blocked(std::string message, Json needs = {});
[[nodiscard]] StageAnswer skips(std::string why);
[[nodiscard]] StageAnswer asks_for_review(Json output, std::string why);
[[nodiscard]] StageAnswer fans_out(std::vector<NewChild> children);
[[nodiscard]] StageAnswer throws(std::string what);
/// Never returns by itself, but obeys its stop token: its timeout or a cancel ends it.
[[nodiscard]] StageAnswer hangs();
/// Never returns and ignores its stop token.
[[nodiscard]] StageAnswer ignores_its_stop();
/// The whole process dies in the middle of this attempt.
[[nodiscard]] StageAnswer crashes();

/// The answer of a scripted gate about the output of one attempt.
struct GateAnswer {
  GateFunction judges;
  Duration takes{0};

  /// The same answer after this much virtual time. A gate that takes longer than its timeout is cut
  /// off. Nothing else happens in the meantime.
  template <class Rep, class Period>
  [[nodiscard]] GateAnswer after(std::chrono::duration<Rep, Period> time) const {
    GateAnswer later = *this;
    later.takes = as_duration(time);
    return later;
  }
};
[[nodiscard]] GateAnswer accepts(Feedback findings = {});
[[nodiscard]] GateAnswer rejects(std::string feedback);
[[nodiscard]] GateAnswer rejects(Feedback feedback);
[[nodiscard]] GateAnswer is_uncertain(std::string reason);
/// The gate cannot judge: a gate error, never a verdict.
[[nodiscard]] GateAnswer breaks(std::string what);
[[nodiscard]] GateAnswer judges(GateFunction gate);

using Script = ScriptOf<StageAnswer>;
using GateScript = ScriptOf<GateAnswer>;

}  // namespace pawl::testing
