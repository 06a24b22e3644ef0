#include "codec/values.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/arbitrary.hpp"
#include "codec/damage.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::codec {
namespace {

template <class T>
void expect_round_trip(const rc::Gen<T>& values) {
  arbitrary::check(200, [&] {
    const T value = *values;
    const std::string text = to_json_text(value);
    RC_ASSERT(parse_json(text).has_value());
    RC_ASSERT(from_json_text<T>(text).value() == value);
  });
  const T usual{};
  EXPECT_EQ(from_json_text<T>(to_json_text(usual)), usual);
}

template <class T>
void expect_damage_is_survived(const T& value, unsigned seed) {
  const std::string sound = to_json_text(value);
  ASSERT_EQ(from_json_text<T>(sound), value);
  testing::Damage damage(seed);
  for (int i = 0; i < 4'000; ++i) {
    const Result<T> read = from_json_text<T>(damage(sound));
    if (read) {
      EXPECT_EQ(from_json_text<T>(to_json_text(*read)), read);
    } else {
      EXPECT_EQ(read.error().code, ErrorCode::corrupt);
    }
  }
}

TEST(Values, read_back_as_they_were_written) {
  expect_round_trip(arbitrary::feedback());
  expect_round_trip(arbitrary::stage_error());
  expect_round_trip(arbitrary::list(arbitrary::artifact()));
  expect_round_trip(arbitrary::usage());
  expect_round_trip(arbitrary::budget());
  expect_round_trip(arbitrary::tolerance());
  expect_round_trip(arbitrary::limits());
  expect_round_trip(arbitrary::answer());
  expect_round_trip(arbitrary::counts());
  expect_round_trip(arbitrary::decision());
}

TEST(Values, are_short_where_everything_is_usual) {
  EXPECT_EQ(to_json_text(Decision{}), R"({"kind":"complete","rule":"succeeded_without_gate"})");
  EXPECT_EQ(to_json_text(Budget{}), "{}");
  EXPECT_EQ(to_json_text(Usage{}), "{}");
  EXPECT_EQ(to_json_text(Counts{.failures = 1, .attempts = 2}), "[1,0,0,0,2]");
  EXPECT_EQ(to_json_text(Feedback{.summary = "no \"tables\""}), R"({"summary":"no \"tables\""})");
}

TEST(Values, text_that_is_not_utf_8_is_replaced_so_that_it_can_be_read_back) {
  const StageError error{.message = "bad \xff byte"};
  EXPECT_EQ(from_json_text<StageError>(to_json_text(error))->message, "bad \xEF\xBF\xBD byte");
}

TEST(Values, anything_unexpected_is_corrupt) {
  const auto fault = [](const auto& read) { return read ? "no error" : read.error().message; };
  EXPECT_THAT(fault(from_json_text<Usage>("{\"token\":1}")),
              ::testing::HasSubstr("unknown key 'token'"));
  EXPECT_THAT(fault(from_json_text<Usage>("{\"tokens\":\"1\"}")),
              ::testing::HasSubstr("must be an integer"));
  EXPECT_THAT(fault(from_json_text<Usage>("[]")), ::testing::HasSubstr("must be an object"));
  EXPECT_THAT(fault(from_json_text<Usage>("")), ::testing::HasSubstr("damaged"));
  EXPECT_THAT(fault(from_json_text<Decision>("{\"kind\":\"retry\"}")),
              ::testing::HasSubstr("has no 'rule'"));
  EXPECT_THAT(fault(from_json_text<Answer>("{\"outcome\":\"aprove\"}")),
              ::testing::HasSubstr("must be one of 'approve'"));
  EXPECT_THAT(fault(from_json_text<Counts>("[1,2]")), ::testing::HasSubstr("five numbers"));
  EXPECT_THAT(fault(from_json_text<Limits>("{\"parallel\":-1}")),
              ::testing::HasSubstr("from 0 to"));
}

TEST(Values, findings_are_the_feedback_and_beside_it_the_gates) {
  const Feedback feedback{.summary = "poor", .criteria = {{.name = "words"}}};
  EXPECT_EQ(to_json_text(Findings{.feedback = feedback, .assessments = {}}), to_json_text(feedback))
      << "as older versions wrote it";
  const auto old = from_json_text<Findings>(to_json_text(feedback));
  ASSERT_TRUE(old);
  EXPECT_EQ(old->feedback, feedback);
  EXPECT_TRUE(old->assessments.empty());

  const Assessment inner{.gate = "1",
                         .verdict = Verdict::rejected,
                         .summary = "too short",
                         .criteria = {{.name = "words", .expected = ">= 2", .actual = "1"}}};
  const std::vector<Assessment> gates{
      {.gate = "structure",
       .summary = "1 of 1 criterion met",
       .criteria = {{.name = "tables", .expected = "= 4", .actual = "4", .passed = true}}},
      {.gate = "style", .verdict = Verdict::uncertain, .advisory = true, .parts = {inner}}};
  for (const std::optional<Feedback>& given :
       {std::optional<Feedback>(), std::optional<Feedback>(feedback)}) {
    const auto read =
        from_json_text<Findings>(to_json_text(Findings{.feedback = given, .assessments = gates}));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->feedback, given);
    EXPECT_EQ(read->assessments, gates);
  }
  const auto fault = [](const auto& read) { return read ? "" : read.error().message; };
  EXPECT_THAT(fault(from_json_text<Findings>("{}")), ::testing::HasSubstr("has no 'summary'"));
  EXPECT_THAT(fault(from_json_text<Findings>("{\"gates\":[{\"gate\":\"x\"}]}")),
              ::testing::HasSubstr("has no 'verdict'"));
  EXPECT_THAT(fault(from_json_text<Findings>("{\"gates\":1}")),
              ::testing::HasSubstr("must be a list"));
  expect_damage_is_survived(gates, 10);
}

TEST(Values, damaged_text_is_an_error_and_never_a_crash) {
  const Feedback feedback{.summary = "Tables missing",
                          .criteria = {{.name = "tables", .expected = "= 4", .actual = "3"},
                                       {.name = "words", .expected = ">= 100", .passed = true}},
                          .guidance = Json::object({{"hint", "look at é"}})};
  expect_damage_is_survived(feedback, 4);
  expect_damage_is_survived(StageError{.error_class = ErrorClass::rate_limited,
                                       .kind = ErrorKind::http,
                                       .code = "http_429",
                                       .message = "slow down",
                                       .retry_after = std::chrono::seconds(3)},
                            5);
  expect_damage_is_survived(
      std::vector<ArtifactRecord>{{.kind = ArtifactKind::file, .name = "a", .size = 12}}, 6);
  expect_damage_is_survived(Answer{.outcome = ReviewOutcome::approve_with_edits,
                                   .reviewer = "ada",
                                   .attempt = 2,
                                   .edits = Json::object({{"words", 4}})},
                            7);
  expect_damage_is_survived(Decision{.kind = DecisionKind::retry,
                                     .rule = Rule::refine_after_rejection,
                                     .next_cause = Cause::gate_feedback,
                                     .new_round = true,
                                     .counts = {.rejections = 1, .attempts = 1}},
                            8);
  expect_damage_is_survived(Tolerance{.percent = 12.5}, 9);
}

}  // namespace
}  // namespace pawl::codec
