#pragma once

/// What scripted stages and gates say, attempt by attempt.
///
///   Script{}.then(fails("503")).then(succeeds({{"words", 12}}))      attempt 1 fails, 2 and later
///   succeed Script{}.then(succeeds()).item("b").attempt(3, hangs())          … but the third
///   attempt of item b Script{}.then(succeeds().after(2h))                              takes two
///   hours of virtual time
///
/// Lines are spoken by attempt number, 1, 2, 3 …; the last one is repeated. What is said for one
/// item comes before what is said for all; what is said for one attempt comes before the sequence.
/// Attempts that a crash cut off have a number, too.

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
  /// The next attempt says this, and all after it, unless another line follows.
  ScriptOf& then(Answer answer) {
    lines_[subject_].sequence.push_back(std::move(answer));
    return *this;
  }
  /// The next `count` attempts.
  ScriptOf& times(std::uint32_t count, const Answer& answer) {
    for (std::uint32_t i = 0; i < count; ++i) then(answer);
    return *this;
  }
  /// This attempt and no other.
  ScriptOf& attempt(AttemptNumber number, Answer answer) {
    lines_[subject_].by_number.insert_or_assign(number, std::move(answer));
    return *this;
  }
  /// What follows is for this item alone. A fan-out child is "item/child".
  ScriptOf& item(std::string key) {
    subject_ = std::move(key);
    return *this;
  }
  /// What follows is for all items again.
  ScriptOf& everyone() { return item({}); }

  /// What is said; null: nothing was written for it. Whoever was asked about is remembered.
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

  /// Something that was said of an item, or of one attempt, and that nobody ever asked about.
  struct InVain {
    std::string item;                      ///< empty: everyone
    std::optional<AttemptNumber> attempt;  ///< none: all that was said of the item
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
    // Being asked changes nothing of what is said.
    mutable bool came_up = false;
    mutable std::set<AttemptNumber> numbers_that_came_up;
  };
  std::string subject_;  ///< empty: everyone
  std::map<std::string, Lines> lines_;
};

/// What one attempt of a scripted stage does.
struct StageAnswer {
  enum class How : std::uint8_t {
    speaks,        ///< `does`, when its time has passed
    hangs,         ///< until it is asked to stop
    ignores_stop,  ///< for good: abandoned when its grace is over
    crashes,       ///< the process dies with it
  };
  How how = How::speaks;
  StageFunction does;
  Duration takes{0};

  /// The same, after so much virtual time. Asked to stop in the meantime, it obeys.
  template <class Rep, class Period>
  [[nodiscard]] StageAnswer after(std::chrono::duration<Rep, Period> time) const {
    StageAnswer later = *this;
    later.takes = as_duration(time);
    return later;
  }
};

using Members = std::initializer_list<std::pair<std::string_view, Json>>;

/// Whatever you write.
[[nodiscard]] StageAnswer does(StageFunction work);

[[nodiscard]] StageAnswer succeeds();
/// With an object: succeeds({{"words", 12}}).
[[nodiscard]] StageAnswer succeeds(Members output);
/// With any other value. A template, so that a braced list can only mean an object.
template <std::convertible_to<Json> T>
[[nodiscard]] StageAnswer succeeds(const T& output) {
  return does([json = Json(output)](Context&, const std::stop_token&) -> Outcome {
    return Output{.json = json};
  });
}
/// Broke, and may work when tried again.
[[nodiscard]] StageAnswer fails(std::string message, std::string code = {});
/// Will never work.
[[nodiscard]] StageAnswer fails_for_good(std::string message, std::string code = {});
[[nodiscard]] StageAnswer is_rate_limited(std::string message,
                                          std::optional<Duration> retry_after = std::nullopt);
[[nodiscard]] StageAnswer is_blocked(std::string message, Json needs = {});
[[nodiscard]] StageAnswer skips(std::string why);
[[nodiscard]] StageAnswer asks_for_review(Json output, std::string why);
[[nodiscard]] StageAnswer fans_out(std::vector<NewChild> children);
[[nodiscard]] StageAnswer throws(std::string what);
/// Never answers by itself; obeys its stop token, so its timeout or a cancel ends it.
[[nodiscard]] StageAnswer hangs();
/// Never answers and does not obey either.
[[nodiscard]] StageAnswer ignores_its_stop();
/// The whole process dies in the middle of this attempt.
[[nodiscard]] StageAnswer crashes();

/// What a scripted gate says of one attempt's output.
struct GateAnswer {
  GateFunction judges;
  Duration takes{0};

  /// The same, after so much virtual time; a gate that takes longer than its timeout is cut off by
  /// it. Nothing else happens meanwhile.
  template <class Rep, class Period>
  [[nodiscard]] GateAnswer after(std::chrono::duration<Rep, Period> time) const {
    GateAnswer later = *this;
    later.takes = as_duration(time);
    return later;
  }
};
[[nodiscard]] GateAnswer accepts();
[[nodiscard]] GateAnswer rejects(std::string feedback);
[[nodiscard]] GateAnswer rejects(Feedback feedback);
[[nodiscard]] GateAnswer is_uncertain(std::string reason);
/// Cannot judge: a gate error, never a verdict.
[[nodiscard]] GateAnswer breaks(std::string what);
[[nodiscard]] GateAnswer judges(GateFunction gate);

using Script = ScriptOf<StageAnswer>;
using GateScript = ScriptOf<GateAnswer>;

}  // namespace pawl::testing
