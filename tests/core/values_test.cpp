// JSON text, policies, feedback, events and explanations.

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"
#include "pawl/core/job.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Json, values_become_compact_text) {
  EXPECT_EQ(Json().text(), "null");
  EXPECT_EQ(Json(nullptr).text(), "null");
  EXPECT_EQ(Json(true).text(), "true");
  EXPECT_EQ(Json(-7).text(), "-7");
  EXPECT_EQ(Json(std::uint64_t{18'446'744'073'709'551'615U}).text(), "18446744073709551615");
  EXPECT_EQ(Json(0.1).text(), "0.1");
  EXPECT_EQ(Json(3.0).text(), "3");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).text(), "null");
  EXPECT_EQ(Json("a").text(), "\"a\"");
  EXPECT_EQ(Json::object({{"words", 4214}, {"ok", true}, {"tags", Json::array({"a", "b"})}}).text(),
            R"({"words":4214,"ok":true,"tags":["a","b"]})");
  EXPECT_EQ(Json::object({}).text(), "{}");
  EXPECT_EQ(Json::array({}).text(), "[]");
  const std::vector<std::pair<std::string, Json>> members{{"k\"", Json(1)}};
  EXPECT_EQ(Json::object(members).text(), R"({"k\"":1})");
  EXPECT_TRUE(Json().is_null());
  EXPECT_FALSE(Json("null").is_null());
}

TEST(Json, strings_are_escaped) {
  EXPECT_EQ(Json(std::string_view("\"\\\b\f\n\r\t\x01\x7F/", 10)).text(),
            "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7F/\"");
  EXPECT_EQ(Json(std::string("a\0b", 3)).text(), "\"a\\u0000b\"");
}

TEST(Json, broken_utf8_is_repaired_and_good_utf8_is_kept) {
  struct Case {
    const char* text;
    const char* repaired;
  };
  for (const auto& [text, repaired] : std::initializer_list<Case>{
           {"gr\xC3\xBC\xC3\x9F", "grüß"},
           {"\xF0\x9F\x98\x80", "😀"},
           {"a\xFFz", "a\uFFFDz"},
           {"\xC3", "\uFFFD"},
           {"\xC3z", "\uFFFDz"},
           {"\xE2\x82", "\uFFFD"},
           {"\xE2\x82z", "\uFFFDz"},
           {"\xC0\xAF", "\uFFFD\uFFFD"},                      // overlong
           {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},            // a surrogate
           {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},  // past U+10FFFF
           {"\x80", "\uFFFD"},
       }) {
    EXPECT_EQ(Json(text).text(), "\"" + std::string(repaired) + "\"");
  }
}

TEST(Policy, presets_and_defaults_are_the_seeds) {
  EXPECT_EQ(RetryPolicy::none(), RetryPolicy{});
  EXPECT_EQ(RetryPolicy{}.attempts_max(), 1U);
  EXPECT_FALSE(RetryPolicy{}.allows_retry());
  EXPECT_EQ(RetryPolicy{}.on_exhausted, OnExhausted::fail);
  EXPECT_EQ(RetryPolicy::service().max_attempts, 8U);
  EXPECT_EQ(RetryPolicy::service().backoff.initial, Duration(60s));
  EXPECT_EQ(RetryPolicy::service().backoff.max, Duration(3600s));
  EXPECT_EQ(RetryPolicy::service().backoff.jitter, 0.0);
  EXPECT_EQ(RetryPolicy::task().max_attempts, 5U);
  EXPECT_EQ(RetryPolicy::batch().max_attempts, 3U);
}

TEST(Policy, attempts_max_is_the_most_attempts_that_separate_caps_allow) {
  RetryPolicy policy;
  policy.retry_attempts = 3;
  policy.refine_attempts = 2;
  EXPECT_EQ(policy.failures_max(), 3U);
  EXPECT_EQ(policy.rejections_max(), 2U);
  EXPECT_EQ(policy.attempts_max(), 4U);
}

TEST(Policy, review_policies_answer_when_they_review) {
  using enum ReviewPolicy;
  for (const ReviewPolicy policy : {always, on_escalation, on_escalation_or_uncertain}) {
    EXPECT_TRUE(reviews_on_escalation(policy));
  }
  for (const ReviewPolicy policy : {always, on_uncertain, on_escalation_or_uncertain}) {
    EXPECT_TRUE(reviews_on_uncertain(policy));
  }
  EXPECT_FALSE(reviews_on_escalation(never) || reviews_on_escalation(on_uncertain));
  EXPECT_FALSE(reviews_on_uncertain(never) || reviews_on_uncertain(on_escalation));
  EXPECT_TRUE(always_reviews(always));
  EXPECT_FALSE(always_reviews(on_escalation_or_uncertain));
}

TEST(FeedbackValue, counts_the_criteria_that_were_not_met) {
  Feedback feedback{.summary = "1 criteria not met",
                    .criteria = {{"word_count", "≥ 100", "42", false}, {"tables", "|", "|", true}}};
  EXPECT_EQ(feedback.failure_count(), 1U);
  EXPECT_FALSE(feedback.all_passed());
  EXPECT_TRUE(Feedback{}.all_passed());
}

TEST(FeedbackValue, is_synthesised_where_no_gate_spoke) {
  StageDefinition stage = given::stage();
  stage.retry.attempt_timeout = 100ms;
  EXPECT_EQ(synthesised_feedback(stage, given::timed_out())->summary,
            "attempt timed out after 100ms");
  EXPECT_EQ(synthesised_feedback(stage, given::failure())->summary, "Error: connection refused");
  EXPECT_FALSE(synthesised_feedback(stage, given::success()));
  EXPECT_FALSE(synthesised_feedback(stage, given::rate_limited(1s)));
  EXPECT_FALSE(synthesised_feedback(stage, given::attempt(AttemptResult::interrupted)));
}

TEST(AttemptRecord, failed_timed_out_and_rejected_attempts_are_failures) {
  EXPECT_TRUE(given::failure().is_failure());
  EXPECT_TRUE(given::timed_out().is_failure());
  EXPECT_TRUE(given::judged(Verdict::rejected).is_failure());
  EXPECT_FALSE(given::success().is_failure());
  EXPECT_FALSE(given::judged(Verdict::uncertain).is_failure());
  EXPECT_FALSE(given::attempt(AttemptResult::interrupted).is_failure());
}

std::string explained(const StageDefinition& stage, Attempt closed) {
  closed.decision = decide(stage, closed);
  return explain(stage, closed);
}

TEST(Explain, says_the_rule_with_its_numbers) {
  RetryPolicy separate;
  separate.refine_attempts = 3;
  EXPECT_EQ(explained(given::stage(separate), given::judged(Verdict::rejected)),
            "refine.attempts 1/3: rerun with feedback");
  EXPECT_EQ(explained(given::stage(separate), given::failure()),
            "retry.attempts 1/1: exhausted, failed");
  EXPECT_EQ(explained(given::stage(RetryPolicy::service()), given::failure()),
            "max_attempts 1/8: retry in 60s");
  EXPECT_EQ(explained(given::stage({}, ReviewPolicy::on_escalation), given::timed_out()),
            "max_attempts 1/1: exhausted, a reviewer decides");
  Attempt capped = given::failure();
  capped.attempts_cap = 1;
  EXPECT_EQ(explained(given::stage(RetryPolicy::service()), capped),
            "max_attempts_per_task 1/1: exhausted, failed");
  EXPECT_THAT(explained(given::stage(), given::rate_limited(30s)), HasSubstr("in 30s"));
  EXPECT_THAT(explained(given::stage(), given::rate_limited(48h)), HasSubstr("longer than 86400s"));
  EXPECT_THAT(explained(given::stage(), given::judged(Verdict::uncertain, "two dates")),
              HasSubstr("(two dates)"));
}

TEST(Explain, has_words_for_every_rule) {
  for (int rule = 1; rule <= 31; ++rule) {
    Attempt closed = given::failure();
    closed.decision.rule = static_cast<Rule>(rule);
    EXPECT_FALSE(explain(given::stage(), closed).empty()) << rule;
  }
}

TEST(Ids, a_task_is_addressed_by_ordinal_and_stage) {
  const TaskId task = task_id(ItemId{123'456}, static_cast<StageIndex>(65'534));
  EXPECT_EQ(ordinal_of(task), 123'456);
  EXPECT_EQ(at(stage_of(task)), 65'534U);
}

TEST(RequireDeathTest, a_broken_promise_ends_the_process_with_its_place) {
  require(true, "fine");
  EXPECT_DEATH(require(false, "two and two are five"), "values_test.cpp:.*two and two are five");
}

}  // namespace
}  // namespace pawl
