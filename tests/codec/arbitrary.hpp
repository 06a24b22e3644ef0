#pragma once

/// Arbitrary values of the model for property tests: every field may take any value of its type.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "pawl/codec/names.hpp"
#include "pawl/core/attempt.hpp"
#include "pawl/core/event.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/review.hpp"

namespace pawl::arbitrary {

/// Characters that often break text formats, among plain ones; always valid UTF-8.
inline rc::Gen<std::string> text() {
  const auto piece =
      rc::gen::element<std::string>("a", "Z", "0", " ", ",", "=", "\n", "\\", "\\n", "\"", "'",
                                    "\t", "\r", std::string(1, '\0'), "\x01", "\x7f", "{", "}", "[",
                                    "]", ":", "/", "é", "→", "\xF0\x9F\x98\x80", "null", "\\u0041");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string out;
                        for (const std::string& one : pieces) out += one;
                        return out;
                      });
}

/// Any bytes, valid or not.
inline rc::Gen<std::string> bytes() {
  return rc::gen::map(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 256)),
                      [](const std::vector<int>& values) {
                        std::string out;
                        for (const int value : values) out += static_cast<char>(value);
                        return out;
                      });
}

inline rc::Gen<bool> boolean() { return rc::gen::arbitrary<bool>(); }
inline rc::Gen<std::int64_t> integer() {
  return rc::gen::oneOf(
      rc::gen::arbitrary<std::int64_t>(),
      rc::gen::element(std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max(), std::int64_t{0}));
}
inline rc::Gen<std::uint32_t> small() {
  return rc::gen::oneOf(rc::gen::arbitrary<std::uint32_t>(),
                        rc::gen::element(0U, 1U, std::numeric_limits<std::uint32_t>::max()));
}
inline rc::Gen<double> number() {
  return rc::gen::oneOf(rc::gen::arbitrary<double>(),
                        rc::gen::element(0.1, 1e300, -1.5e-7, 2.0 / 3.0, 33.3));
}
inline rc::Gen<Duration> duration() {
  return rc::gen::map(integer(), [](std::int64_t us) { return Duration{us}; });
}
inline rc::Gen<Timestamp> timestamp() {
  return rc::gen::map(duration(), [](Duration since) { return Timestamp{since}; });
}

template <class E>
rc::Gen<E> word() {
  std::vector<E> all;
  for (const std::string& name : all_names<E>()) all.push_back(*from_name<E>(name));
  return rc::gen::elementOf(all);
}

template <class T>
rc::Gen<std::optional<T>> maybe(rc::Gen<T> value) {
  return rc::gen::mapcat(boolean(), [value](bool is_set) {
    return is_set ? rc::gen::map(value, [](T one) { return std::optional<T>(std::move(one)); })
                  : rc::gen::just(std::optional<T>{});
  });
}

template <class T>
rc::Gen<std::vector<T>> list(rc::Gen<T> element) {
  return rc::gen::scale(0.1, rc::gen::container<std::vector<T>>(std::move(element)));
}

inline rc::Gen<Json> json() {
  return rc::gen::exec([] {
    const Json leaf = *rc::gen::oneOf(
        rc::gen::map(text(), [](const std::string& t) { return Json(t); }),
        rc::gen::map(integer(), [](std::int64_t i) { return Json(i); }),
        rc::gen::map(number(), [](double d) { return Json(d); }),
        rc::gen::map(boolean(), [](bool b) { return Json(b); }), rc::gen::just(Json{}));
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        return Json::array({leaf, Json::object({{*text(), leaf}, {"nested", Json::array({})}})});
      case 1:
        return Json::object({{"b", leaf}, {"a", Json::array({leaf, 1.5})}});
      default:
        return leaf;
    }
  });
}

inline rc::Gen<Feedback> feedback() {
  return rc::gen::exec([] {
    const auto criterion = rc::gen::exec([] {
      return Criterion{
          .name = *text(), .expected = *text(), .actual = *text(), .passed = *boolean()};
    });
    return Feedback{.summary = *text(), .criteria = *list(criterion), .guidance = *json()};
  });
}

inline rc::Gen<StageError> stage_error() {
  return rc::gen::exec([] {
    return StageError{.error_class = *word<ErrorClass>(),
                      .kind = *word<ErrorKind>(),
                      .code = *text(),
                      .message = *text(),
                      .retry_after = *maybe(duration()),
                      .details = *json(),
                      .classified_by = *text()};
  });
}

inline rc::Gen<ArtifactRecord> artifact() {
  return rc::gen::exec([] {
    return ArtifactRecord{.kind = *word<ArtifactKind>(),
                          .name = *text(),
                          .reference = *text(),
                          .sha256 = *text(),
                          .size = *integer(),
                          .summary = *json()};
  });
}

inline rc::Gen<Usage> usage() {
  return rc::gen::exec([] { return Usage{.cost_microusd = *integer(), .tokens = *integer()}; });
}

inline rc::Gen<Budget> budget() {
  return rc::gen::exec([] {
    return Budget{.max_total_attempts = *maybe(integer()),
                  .max_attempts_per_task = *maybe(small()),
                  .deadline = *maybe(duration()),
                  .no_progress = *maybe(duration()),
                  .no_progress_decisions = *maybe(integer()),
                  .cost_microusd = *maybe(integer()),
                  .tokens = *maybe(integer()),
                  .exhausted = *word<OnBudgetEnd>()};
  });
}

inline rc::Gen<Tolerance> tolerance() {
  return rc::gen::exec(
      [] { return Tolerance{.count = *maybe(integer()), .percent = *maybe(number())}; });
}

inline rc::Gen<Limits> limits() {
  return rc::gen::exec([] {
    return Limits{
        .pool = *text(), .parallel = *small(), .rate = {.count = *small(), .per = *duration()}};
  });
}

inline rc::Gen<Answer> answer() {
  return rc::gen::exec([] {
    return Answer{.outcome = *word<ReviewOutcome>(),
                  .reviewer = *text(),
                  .note = *text(),
                  .attempt = *maybe(small()),
                  .edits = *maybe(json()),
                  .digest = *text(),
                  .effective_at = *timestamp()};
  });
}

inline rc::Gen<Counts> counts() {
  return rc::gen::exec([] {
    return Counts{.failures = *small(),
                  .rejections = *small(),
                  .rate_limit_waits = *small(),
                  .interruptions = *small(),
                  .attempts = *small()};
  });
}

inline rc::Gen<Decision> decision() {
  return rc::gen::exec([] {
    return Decision{.kind = *word<DecisionKind>(),
                    .rule = *word<Rule>(),
                    .next_run_at = *timestamp(),
                    .next_cause = *word<Cause>(),
                    .review_reason = *word<ReviewReason>(),
                    .fail_cause = *word<FailCause>(),
                    .cancel_cause = *word<CancelCause>(),
                    .new_round = *boolean(),
                    .counts = *counts(),
                    .reason = *text()};
  });
}

/// As the core creates it: seq, job and at belong to the row.
inline rc::Gen<Event> event() {
  return rc::gen::exec([] {
    Event one;
    one.type = *word<EventType>();
    one.item = ItemId{*rc::gen::oneOf(integer(), rc::gen::element<std::int64_t>(0, 7))};
    one.task = TaskId{*rc::gen::oneOf(integer(), rc::gen::element<std::int64_t>(0, 7 << 16))};
    one.attempt = *small();
    one.code = *rc::gen::arbitrary<std::int32_t>();
    one.count = *integer();
    one.when = *rc::gen::oneOf(timestamp(), rc::gen::just(no_time));
    one.text = *rc::gen::oneOf(text(), bytes());
    one.by = *rc::gen::oneOf(text(), bytes());
    return one;
  });
}

/// Checks a property as a GoogleTest expectation, with a fixed seed so that all runs are the same.
template <class Property>
void check(int cases, Property property) {
  rc::detail::TestParams params;
  params.seed = 20'260'301;
  params.maxSuccess = cases;
  const auto result =
      rc::detail::checkTestable(std::move(property), rc::detail::TestMetadata{}, params);
  if (!result.template is<rc::detail::SuccessResult>()) {
    std::ostringstream words;
    rc::detail::printResultMessage(result, words);
    ADD_FAILURE() << words.str();
  }
}

}  // namespace pawl::arbitrary
