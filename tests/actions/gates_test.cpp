#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/expect.hpp"
#include "actions/result_document.hpp"
#include "actions/workshop.hpp"

namespace pawl::actions {
namespace {

using ::testing::HasSubstr;

Lookup nothing() {
  return [](const workflow::Reference&) -> Result<Json> { return Json(); };
}

/// The only criterion of one expectation: "= 4 | 3 | no".
std::string criterion(const Json& actual, const std::string& wanted) {
  const auto made = compare("field", actual, *parse_json(wanted), nothing());
  if (!made) return made.error().message;
  return made->at(0).expected + " | " + made->at(0).actual +
         (made->at(0).passed ? " | yes" : " | no");
}

TEST(Expectation, says_what_it_expected_and_what_is_there) {
  EXPECT_EQ(criterion(3, R"({"equals":4})"), "= 4 | 3 | no");
  EXPECT_EQ(criterion(Json(4.0), R"({"equals":4})"), "= 4 | 4 | yes");
  EXPECT_EQ(criterion("a", R"({"not_equals":"b"})"), "!= b | a | yes");
  EXPECT_EQ(criterion(4214, R"({"at_least":100})"), ">= 100 | 4214 | yes");
  EXPECT_EQ(criterion(Json(), R"({"at_least":100})"), ">= 100 | null | no");
  EXPECT_EQ(criterion("many", R"({"at_most":100})"), "<= 100 | many | no");
  EXPECT_EQ(criterion("b", R"({"one_of":["a","b"]})"), "one of a, b | b | yes");
  EXPECT_EQ(criterion("2026-03", R"({"matches":"^[0-9]{4}-"})"),
            "matches ^[0-9]{4}- | 2026-03 | yes");
  EXPECT_EQ(criterion("été", R"({"min_length":4})"), "length >= 4 | length 3 | no");
  EXPECT_EQ(criterion(Json::array({1, 2}), R"({"max_length":2})"), "length <= 2 | length 2 | yes");
  EXPECT_EQ(criterion(Json(), R"({"present":false})"), "absent | absent | yes");
  EXPECT_EQ(criterion(Json(), R"({"present":true})"), "present | absent | no");
}

TEST(Expectation, is_exact_for_large_integers) {
  EXPECT_EQ(criterion(*parse_json("9007199254740993"), R"({"at_least":9007199254740993})"),
            ">= 9007199254740993 | 9007199254740993 | yes");
  EXPECT_EQ(criterion(*parse_json("9007199254740992"), R"({"at_least":9007199254740993})"),
            ">= 9007199254740993 | 9007199254740992 | no");
}

TEST(Expectation, that_makes_no_sense_is_an_error_and_no_verdict) {
  EXPECT_THAT(criterion(3, R"({"at_least":"many"})"), HasSubstr("must be a number"));
  EXPECT_THAT(criterion("a", R"({"matches":"("})"), HasSubstr("must be a pattern"));
  EXPECT_THAT(criterion(3, R"({"at_leats":3})"), HasSubstr("unknown expectation"));
}

TEST(ResultDocument, is_read_strictly) {
  const auto error = [](std::string_view text) {
    const auto read = parse_result_document(text);
    return read ? std::string("fine") : read.error().text();
  };
  EXPECT_EQ(error("{}"), "fine");
  EXPECT_EQ(error(R"({"error":{"class":"rate_limited","retry_after_s":0.5}})"), "fine");
  EXPECT_THAT(error("[]"), HasSubstr("object"));
  EXPECT_THAT(error(R"({"outcome":"done"})"), HasSubstr("needs_review"));
  EXPECT_THAT(error(R"({"output":[]})"), HasSubstr("\"output\" must be an object"));
  EXPECT_THAT(error(R"({"usage":{"cost":1}})"), HasSubstr("cost"));
  EXPECT_THAT(error(R"({"usage":{"cost_usd":-1}})"), HasSubstr("cost_usd"));
  EXPECT_THAT(error(R"({"error":{"class":"fatal"}})"), HasSubstr("fatal"));
  EXPECT_THAT(error(R"({"error":{"retry_after_s":1e300}})"), HasSubstr("retry_after_s"));
  EXPECT_THAT(error(R"({"error":{},"output":{}})"), HasSubstr("together with"));
  EXPECT_THAT(error(R"({"output":{},"output":{}})"), HasSubstr("output"));
}

/// A stage whose output `n` is the number of its attempt, with this gate.
std::string gated(const std::string& gate, const std::string& more = "") {
  return R"(
version: 1
workflow: w
params: { least: { type: integer, default: 2 } }
stages:
  work:
    sh: echo "{\"output\":{\"n\":$PAWL_ATTEMPT}}" > "$PAWL_RESULT"
    out: { n: integer }
    gates:
)" + gate +
         more;
}

TEST(Gate, of_expectations_may_refer_to_params_and_outputs) {
  Workshop shop;
  shop.run(
      gated("      - name: enough\n        expect:\n          n: { at_least: "
            "\"${params.least}\", equals: \"${out.n}\" }\n",
            "    refine: { attempts: 3 }\n"));
  const auto attempts = shop.attempts("work");
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].verdict, Verdict::rejected);
  EXPECT_EQ(attempts[0].feedback->summary, "1 of 2 criteria not met");
  EXPECT_EQ(attempts[0].feedback->criteria.at(0),
            (Criterion{.name = "n", .expected = ">= 2", .actual = "1", .passed = false}));
  EXPECT_EQ(attempts[1].verdict, Verdict::accepted);
}

TEST(Gate, of_a_schema_gives_its_findings) {
  Workshop shop;
  shop.folder.write("out.schema.json",
                    R"({"type":"object","properties":{"n":{"type":"integer","minimum":2}}})");
  shop.run(gated("      - name: shape\n        schema: out.schema.json\n",
                 "    refine: { attempts: 2 }\n"));
  const Attempt first = shop.attempts("work").at(0);
  EXPECT_EQ(first.verdict, Verdict::rejected);
  ASSERT_EQ(first.feedback->criteria.size(), 1U);
  EXPECT_EQ(first.feedback->criteria[0].name, "n");
  EXPECT_EQ(first.feedback->criteria[0].actual, "1");
  EXPECT_EQ(shop.task("work").kind(), StateKind::succeeded);
}

TEST(Gate, that_is_a_command_sees_the_output_and_answers_by_document_or_stdout) {
  Workshop shop;
  shop.folder.script("judge.sh", R"(#!/bin/sh
cat > "seen-$PAWL_ATTEMPT.json"
n=$(jq .out.n "seen-$PAWL_ATTEMPT.json")
if [ "$n" = 1 ]; then
  echo noise
  echo '{"verdict":"rejected","summary":"too few","criteria":[{"name":"n","expected":"2","actual":1,"passed":false}],"guidance":{"hint":"more"},"usage":{"cost_usd":0.5}}' > "$PAWL_RESULT"
else
  echo '{"verdict":"accepted"}'
fi
)");
  shop.run(
      gated("      - name: judge\n        run: [./judge.sh]\n", "    refine: { attempts: 3 }\n"));
  const auto attempts = shop.attempts("work");
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].verdict, Verdict::rejected);
  EXPECT_EQ(attempts[0].feedback->summary, "too few");
  EXPECT_EQ(attempts[0].feedback->criteria.at(0).actual, "1");
  EXPECT_EQ(attempts[0].feedback->guidance.text(), R"({"hint":"more"})");
  EXPECT_EQ(attempts[0].usage.cost_microusd, 500'000);
  EXPECT_EQ(attempts[1].verdict, Verdict::accepted);
  const Json seen = *parse_json(text_in(shop.folder / "seen-2.json"));
  EXPECT_EQ(field(seen, "out").text(), R"({"n":2})");
  EXPECT_EQ(field(seen, "feedback.from").text(), "\"gate\"");
}

TEST(Gate, that_is_a_command_may_be_uncertain) {
  Workshop shop;
  shop.run(
      gated("      - name: judge\n        run: [echo, '{\"verdict\":\"uncertain\","
            "\"summary\":\"cannot tell\"}']\n",
            "    review: { when: on_uncertain }\n"));
  const Attempt attempt = shop.attempts("work").at(0);
  EXPECT_EQ(attempt.verdict, Verdict::uncertain);
  EXPECT_EQ(attempt.verdict_reason, "cannot tell");
  EXPECT_EQ(shop.task("work").kind(), StateKind::awaiting_review);
}

TEST(Gate, that_cannot_judge_is_an_error_and_never_a_verdict) {
  Workshop shop;
  const auto message = [&](const std::string& script) {
    shop.run(gated("      - name: judge\n        run: [sh, -c, '" + script + "']\n"));
    const Attempt attempt = shop.attempts("work").back();
    EXPECT_FALSE(attempt.verdict) << script;
    EXPECT_EQ(attempt.error->kind, ErrorKind::gate) << script;
    EXPECT_EQ(attempt.output.text(), R"({"n":1})") << "the output is kept";
    return attempt.error->message;
  };
  EXPECT_THAT(message("echo no model >&2; exit 3"), HasSubstr("exit 3: no model"));
  EXPECT_THAT(message("true"), HasSubstr("gave no verdict"));
  EXPECT_THAT(message("echo yes"), HasSubstr("cannot be read"));
  EXPECT_THAT(message("echo \"{\\\"verdict\\\":\\\"maybe\\\"}\""), HasSubstr("maybe"));
}

TEST(Gate, of_types_gives_a_misfit_back_where_the_stage_is_refined) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
stages:
  work:
    sh: |
      if [ $PAWL_ATTEMPT = 1 ]; then value='"many"'; else value=12; fi
      echo "{\"output\":{\"n\":$value}}" > "$PAWL_RESULT"
    out: { n: integer }
    gates:
      - name: enough
        expect: { n: { at_least: 1 } }
    refine: { attempts: 2 }
)");
  const auto attempts = shop.attempts("work");
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].result, AttemptResult::success);
  EXPECT_EQ(attempts[0].verdict, Verdict::rejected);
  EXPECT_EQ(attempts[0].feedback->criteria.at(0),
            (Criterion{.name = "n", .expected = "integer", .actual = "\"many\"", .passed = false}));
  EXPECT_EQ(shop.task("work").kind(), StateKind::succeeded);
}

TEST(Gate, that_accepts_records_every_criterion_with_its_name) {
  Workshop shop;
  shop.folder.write("out.schema.json", R"({"type":"object"})");
  shop.run(
      gated("      - name: enough\n        expect: { n: { at_least: 1, at_most: 9 } }\n"
            "      - name: shape\n        schema: out.schema.json\n"
            "      - name: judge\n        run: [echo, '{\"verdict\":\"accepted\",\"criteria\":"
            "[{\"name\":\"tone\",\"passed\":true,\"actual\":\"calm\"}]}']\n"
            "      - name: quiet\n        run: [echo, '{\"verdict\":\"accepted\"}']\n",
            "    refine: { attempts: 2 }\n"));
  const Attempt attempt = shop.attempts("work").at(0);
  EXPECT_EQ(attempt.verdict, Verdict::accepted);
  EXPECT_FALSE(attempt.feedback);
  std::vector<Assessment> found = attempt.assessments;
  std::ranges::sort(found, {}, &Assessment::gate);
  const auto criterion = [](const char* name, const char* expected, const char* actual) {
    return Criterion{.name = name, .expected = expected, .actual = actual, .passed = true};
  };
  EXPECT_EQ(found, (std::vector<Assessment>{
                       {.gate = "enough",
                        .summary = "2 of 2 criteria met",
                        .criteria = {criterion("n", ">= 1", "1"), criterion("n", "<= 9", "1")}},
                       {.gate = "judge",
                        .summary = "1 of 1 criterion met",
                        .criteria = {criterion("tone", "", "calm")}},
                       {.gate = "quiet"},
                       {.gate = "shape",
                        .summary = "the output fits the schema",
                        .criteria = {criterion("output", "fits the schema", "fits")}},
                       {.gate = "types", .criteria = {criterion("n", "integer", "1")}}}));
}

TEST(Gate, that_is_uncertain_records_its_criteria) {
  Workshop shop;
  shop.run(
      gated("      - name: judge\n        run: [echo, '{\"verdict\":\"uncertain\","
            "\"summary\":\"cannot tell\",\"criteria\":[{\"name\":\"dpi\",\"passed\":false}]}']\n",
            "    review: { when: on_uncertain }\n"));
  const Attempt attempt = shop.attempts("work").at(0);
  EXPECT_EQ(attempt.verdict_reason, "cannot tell");
  EXPECT_EQ(attempt.assessments, (std::vector<Assessment>{{.gate = "judge",
                                                           .verdict = Verdict::uncertain,
                                                           .summary = "cannot tell",
                                                           .criteria = {{.name = "dpi"}}}}));
}

/// The verdict of `any` with three judges that answer so.
Verdict verdict_of_three(const std::string& answers, int at_least) {
  Workshop shop;
  std::string gate = "sh: echo text\ngates:\n  - name: judges\n    any:\n";
  for (const char answer : answers) {
    const std::string word = answer == 'a' ? "accepted" : answer == 'r' ? "rejected" : "uncertain";
    gate += R"(      - { run: [sh, -c, 'echo "{\"verdict\":\")" + word + R"(\"}"'] })" + "\n";
  }
  return shop.run_stage(gate + "    at_least: " + std::to_string(at_least) + "\n").verdict.value();
}

TEST(ComposedGate, of_any_accepts_when_enough_of_its_parts_accept) {
  EXPECT_EQ(verdict_of_three("arr", 1), Verdict::accepted);
  EXPECT_EQ(verdict_of_three("urr", 1), Verdict::uncertain);
  EXPECT_EQ(verdict_of_three("rrr", 1), Verdict::rejected);
  EXPECT_EQ(verdict_of_three("aar", 2), Verdict::accepted);
  EXPECT_EQ(verdict_of_three("aur", 2), Verdict::uncertain);
  EXPECT_EQ(verdict_of_three("arr", 2), Verdict::rejected);
  EXPECT_EQ(verdict_of_three("aau", 3), Verdict::uncertain);
  EXPECT_EQ(verdict_of_three("aur", 3), Verdict::rejected);
}

TEST(ComposedGate, is_nested_and_names_its_parts_in_the_feedback) {
  Workshop shop;
  const Attempt attempt = shop.run_stage(R"(
sh: echo '{"words":3,"title":"x"}'
capture: json
out: { words: integer, title: string }
gates:
  - name: good
    any:
      - name: long
        expect: { words: { at_least: 100 } }
      - all:
          - { expect: { title: { present: true } } }
          - { name: shape, schema: { required: [author] } }
)");
  EXPECT_EQ(attempt.verdict, Verdict::rejected);
  EXPECT_THAT(attempt.feedback->summary, HasSubstr("long: "));
  EXPECT_THAT(attempt.feedback->summary, HasSubstr("2: "));
  ASSERT_EQ(attempt.feedback->criteria.size(), 2U);
  EXPECT_EQ(attempt.feedback->criteria[0].name, "words");
}

TEST(ComposedGate, with_a_part_that_cannot_judge_is_an_error_and_never_accepted) {
  Workshop shop;
  const Attempt attempt = shop.run_stage(R"(
sh: echo text
gates:
  - name: either
    any:
      - { expect: { text: { present: true } } }
      - { run: [sh, -c, "exit 3"] }
)");
  EXPECT_FALSE(attempt.verdict.has_value());
  ASSERT_TRUE(attempt.error);
  EXPECT_EQ(attempt.error->kind, ErrorKind::gate);
}

TEST(When, decides_whether_a_stage_runs) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
items: [{ id: a, pages: 3, draft: true }, { id: b, pages: 1, draft: false }, { id: c, pages: 5 }]
stages:
  long:
    when: { "${item.pages}": { at_least: 2 } }
    sh: "true"
  drafts:
    when: "${item.draft}"
    sh: "true"
)");
  EXPECT_EQ(shop.task("long", "a").kind(), StateKind::succeeded);
  EXPECT_EQ(shop.task("long", "b").kind(), StateKind::skipped);
  EXPECT_EQ(shop.task("drafts", "a").kind(), StateKind::succeeded);
  EXPECT_EQ(shop.task("drafts", "b").kind(), StateKind::skipped);
  EXPECT_EQ(shop.task("drafts", "c").kind(), StateKind::skipped);
}

TEST(HumanStage, yields_its_input_with_the_edits) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
items: [ada]
stages:
  greet:
    sh: printf "Hello, $PAWL_ITEM"
  check:
    needs: [greet]
    in: { greeting: "${stages.greet.out.text}", who: "${item}" }
    review: { when: always, editable: [greeting] }
  send:
    needs: [check]
    run: [printf, "%s!", "${stages.check.out.greeting}"]
)");
  EXPECT_EQ(shop.output("check", "ada").text(), "null") << "not before somebody has answered";
  EXPECT_EQ(shop.attempts("check", "ada").at(0).output.text(),
            R"({"greeting":"Hello, ada","who":"ada"})");
  const Review review =
      shop.store->records().reviews({.job = shop.job, .status = ReviewStatus::open})->at(0);
  ASSERT_TRUE(shop.engine->answer(
      review.id, {.outcome = ReviewOutcome::approve_with_edits,
                  .reviewer = "grace",
                  .edits = Json::object({{"greeting", "Good morning"}, {"who", "ada"}})}));
  (void)shop.engine->wait(shop.job);
  EXPECT_EQ(shop.text("send", "ada"), "Good morning!");
}

}  // namespace
}  // namespace pawl::actions
