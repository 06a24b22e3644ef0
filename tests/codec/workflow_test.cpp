#include "pawl/codec/workflow.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/arbitrary_workflow.hpp"
#include "codec/damage.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {
namespace {

using ::testing::HasSubstr;

WorkflowDefinition documents() {
  StageDefinition convert{.name = "convert"};
  convert.handler = "pandoc";
  convert.gates = {GateRef{.name = "structure"}};
  convert.retry.max_attempts = 3;
  StageDefinition check{.name = "check"};
  check.needs = {"convert"};
  check.review = ReviewPolicy::always;
  return {.name = "documents", .stages = {convert, check}};
}

std::string hash_of(const WorkflowDefinition& definition) {
  return sha256_hex(canonical(describe(definition)).text());
}

TEST(DescribeWorkflow, says_what_differs_from_the_defaults_and_nothing_else) {
  EXPECT_EQ(describe(documents()).text(),
            R"({"workflow":"documents","stages":[)"
            R"({"name":"convert","handler":"pandoc","gates":[{"name":"structure"}],)"
            R"("retry":{"max_attempts":3}},)"
            R"({"name":"check","needs":["convert"],"review":"always"}]})");
}

TEST(DescribeWorkflow, has_the_review_rules_that_are_not_usual) {
  WorkflowDefinition rules = documents();
  rules.stages.erase(rules.stages.begin());
  rules.stages[0].needs.clear();
  rules.stages[0].review_rules = {.assign = {"anna", "group:editors"},
                                  .approvals = 2,
                                  .self_approval = false,
                                  .due = std::chrono::hours(24),
                                  .overdue = OnOverdue::escalate,
                                  .escalate_to = {"group:leads"},
                                  .bulk = false,
                                  .show_main = "out.text",
                                  .show_beside = {"in.pdf", "in.page"},
                                  .reasons = {"unclear"}};
  const std::string all = describe(rules).text();
  EXPECT_EQ(all, R"({"workflow":"documents","stages":[{"name":"check","review":"always",)"
                 R"("review_rules":{"assign":["anna","group:editors"],"approvals":2,)"
                 R"("self_approval":false,"due_us":86400000000,"overdue":"escalate",)"
                 R"("escalate_to":["group:leads"],"bulk":false,"show_main":"out.text",)"
                 R"("show_beside":["in.pdf","in.page"],"reasons":["unclear"]}}]})");
  EXPECT_EQ(definition_from(parse_json(all).value()).value(), rules);

  rules.stages[0].review_rules = {.approvals = 2};
  EXPECT_EQ(describe(rules).text(), R"({"workflow":"documents","stages":[{"name":"check",)"
                                    R"("review":"always","review_rules":{"approvals":2}}]})");
}

TEST(DescribeWorkflow, reads_back_exactly_whatever_the_definition) {
  arbitrary::check(300, [] {
    const WorkflowDefinition definition = *arbitrary::definition();
    const Json description = describe(definition);
    RC_ASSERT(definition_from(description).value() == definition);
    // Also after a round trip through text.
    RC_ASSERT(definition_from(parse_json(description.text()).value()).value() == definition);
  });
}

TEST(ReadWorkflow, an_unknown_key_or_word_is_an_error_with_a_suggestion) {
  const auto error = [](std::string_view text) {
    return definition_from(parse_json(text).value()).error();
  };
  const Error key = error(R"({"workflow":"w","stages":[{"name":"a","reveiw":"always"}]})");
  EXPECT_EQ(key.code, ErrorCode::invalid);
  EXPECT_EQ(key.message, "unknown key 'reveiw' in stage 'a'");
  EXPECT_EQ(key.help, "did you mean 'review'?");
  const Error word = error(R"({"workflow":"w","stages":[{"name":"a","review":"alway"}]})");
  EXPECT_THAT(word.message, HasSubstr("'review' of stage 'a' must be one of 'never', 'always'"));
  EXPECT_EQ(word.help, "did you mean 'always'?");
  EXPECT_EQ(error(R"({"workflow":"w","stages":[{"name":"a","retry":{"max_atempts":3}}]})").message,
            "unknown key 'max_atempts' in retry of stage 'a'");
  EXPECT_EQ(error(R"({"workflow":"w","stages":[{"name":"a","on_failure":false}]})").message,
            "'on_failure' of stage 'a' must be one of 'dead_letter', 'continue', 'stop_job'");
  const Error rule =
      error(R"({"workflow":"w","stages":[{"name":"a","review_rules":{"assgin":["anna"]}}]})");
  EXPECT_EQ(rule.message, "unknown key 'assgin' in review_rules of stage 'a'");
  EXPECT_EQ(rule.help, "did you mean 'assign'?");
  EXPECT_EQ(
      error(R"({"workflow":"w","stages":[{"name":"a","review_rules":{"overdue":"approve"}}]})")
          .message,
      "'overdue' of review_rules of stage 'a' must be one of 'remind', 'escalate', 'reject', not "
      "'approve'");
  EXPECT_EQ(error(R"({"workflow":"w","stages":{}})").message,
            "'stages' of the workflow must be a list");
  EXPECT_EQ(error(R"({"workflow":"w","stages":[{}]})").message,
            "a stage without a name has no 'name'");
  EXPECT_EQ(error("{}").message, "the workflow has no 'workflow'");
  EXPECT_EQ(error("7").message, "the workflow must be an object");
}

TEST(ReadWorkflow, damaged_text_is_an_error_and_never_a_crash) {
  const std::string sound = describe(documents()).text();
  testing::Damage damage(10);
  for (int i = 0; i < 5'000; ++i) {
    const Result<Json> json = parse_json(damage(sound));
    if (!json) continue;
    const auto read = definition_from(*json);
    if (!read) continue;
    EXPECT_EQ(definition_from(describe(*read)), read);
  }
}

// A job finds its workflow by the hash: one that is stored must not get another.
TEST(WorkflowHash, of_a_definition_without_new_settings_never_changes) {
  EXPECT_EQ(hash_of(documents()),
            "83732f98fc034d6e9d04d1d75bf806759ee7bb18868a0672253468b737e79438");
}

TEST(WorkflowHash, equal_definitions_hash_equally) {
  EXPECT_EQ(hash_of(documents()), hash_of(documents()));
  WorkflowDefinition one = documents();
  WorkflowDefinition other = documents();
  one.stages[0].params = parse_json(R"({"a":1,"b":2.0})").value();
  other.stages[0].params = parse_json(R"({"b":2,"a":1})").value();
  EXPECT_EQ(hash_of(one), hash_of(other));
}

TEST(WorkflowHash, changes_with_every_field) {
  using Change = std::function<void(WorkflowDefinition&, StageDefinition&)>;
  const std::vector<Change> changes{
      [](auto& workflow, auto&) { workflow.name = "x"; },
      [](auto& workflow, auto&) { workflow.stages.pop_back(); },
      [](auto& workflow, auto&) { std::swap(workflow.stages[0], workflow.stages[1]); },
      [](auto&, auto& stage) { stage.name = "x"; },
      [](auto&, auto& stage) { stage.needs = {"x"}; },
      [](auto&, auto& stage) { stage.handler = "x"; },
      [](auto&, auto& stage) { stage.scope = Scope::all; },
      [](auto&, auto& stage) { stage.gates[0].name = "x"; },
      [](auto&, auto& stage) { stage.gates[0].advisory = true; },
      [](auto&, auto& stage) { stage.gates[0].on_uncertain = OnUncertain::accept; },
      [](auto&, auto& stage) { stage.gates[0].timeout = Duration{1}; },
      [](auto&, auto& stage) { stage.gate_mode = GateMode::any; },
      [](auto&, auto& stage) { stage.retry.max_attempts = 4; },
      [](auto&, auto& stage) { stage.retry.retry_attempts = 1; },
      [](auto&, auto& stage) { stage.retry.refine_attempts = 1; },
      [](auto&, auto& stage) { stage.retry.backoff.initial = Duration{1}; },
      [](auto&, auto& stage) { stage.retry.backoff.max = Duration{1}; },
      [](auto&, auto& stage) { stage.retry.backoff.multiplier = 3; },
      [](auto&, auto& stage) { stage.retry.backoff.jitter = 0.1; },
      [](auto&, auto& stage) { stage.retry.refine_delay = Duration{1}; },
      [](auto&, auto& stage) { stage.retry.on_exhausted = OnExhausted::escalate; },
      [](auto&, auto& stage) { stage.retry.attempt_timeout = Duration{1}; },
      [](auto&, auto& stage) { stage.retry.gate_timeout = Duration{1}; },
      [](auto&, auto& stage) { stage.retry.max_rate_limit_waits = 1; },
      [](auto&, auto& stage) { stage.retry.max_retry_after = Duration{1}; },
      [](auto&, auto& stage) { stage.retry.max_interruptions = 1; },
      [](auto&, auto& stage) { stage.review = ReviewPolicy::on_uncertain; },
      [](auto&, auto& stage) { stage.review_rules.assign = {"x"}; },
      [](auto&, auto& stage) { stage.review_rules.approvals = 2; },
      [](auto&, auto& stage) { stage.review_rules.self_approval = false; },
      [](auto&, auto& stage) { stage.review_rules.due = Duration{1}; },
      [](auto&, auto& stage) { stage.review_rules.overdue = OnOverdue::reject; },
      [](auto&, auto& stage) { stage.review_rules.escalate_to = {"x"}; },
      [](auto&, auto& stage) { stage.review_rules.bulk = false; },
      [](auto&, auto& stage) { stage.review_rules.show_main = "x"; },
      [](auto&, auto& stage) { stage.review_rules.show_beside = {"x"}; },
      [](auto&, auto& stage) { stage.review_rules.reasons = {"x"}; },
      [](auto&, auto& stage) { stage.editable = {"x"}; },
      [](auto&, auto& stage) { stage.changes_rerun = "x"; },
      [](auto&, auto& stage) { stage.on_failure = OnFailure::proceed; },
      [](auto&, auto& stage) { stage.limits.pool = "x"; },
      [](auto&, auto& stage) { stage.limits.parallel = 1; },
      [](auto&, auto& stage) { stage.limits.rate = {.count = 1, .per = Duration{1}}; },
      [](auto&, auto& stage) { stage.limits.rate = {.count = 1, .per = Duration{2}}; },
      [](auto&, auto& stage) { stage.limits.rate = {.count = 2, .per = Duration{1}}; },
      [](auto&, auto& stage) { stage.tolerate_failures.count = 1; },
      [](auto&, auto& stage) { stage.tolerate_failures.percent = 1; },
      [](auto&, auto& stage) { stage.conditional = true; },
      [](auto&, auto& stage) { stage.joins = true; },
      [](auto&, auto& stage) { stage.decider = "x"; },
      [](auto&, auto& stage) { stage.params = Json(1); },
  };
  std::set<std::string> hashes{hash_of(documents())};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    WorkflowDefinition changed = documents();
    changes[i](changed, changed.stages[0]);
    EXPECT_TRUE(hashes.insert(hash_of(changed)).second) << "change " << i;
  }
}

TEST(CompileWorkflow, gives_a_workflow_its_hash) {
  const auto workflow = compile(documents());
  ASSERT_TRUE(workflow);
  EXPECT_EQ(workflow->hash(), hash_of(documents()));
  EXPECT_EQ(workflow->definition(), documents());
  EXPECT_EQ(workflow_from(describe(documents())).value(), *workflow);
}

TEST(CompileWorkflow, tells_every_fault_at_once) {
  WorkflowDefinition broken = documents();
  broken.stages[0].retry.max_attempts = 0;
  broken.stages[1].needs = {"convrt"};
  const auto workflow = compile(broken);
  ASSERT_FALSE(workflow);
  EXPECT_GE(workflow.error().size(), 2U);
  const auto read = workflow_from(describe(broken));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("more)"));
}

}  // namespace
}  // namespace pawl
