/// The C++ builder: what it builds, and every fault at once.

#include <gmock/gmock.h>

#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::HasSubstr;

std::string faults(const WorkflowBuilder& build) {
  const auto program = build.build();
  return program ? "no faults" : text_of(program.error());
}

TEST(Builder, policies_may_be_given_by_name_before_the_stage_and_the_last_one_wins) {
  WorkflowBuilder build("named");
  build.retry("work", {.max_attempts = 3}).review("work", ReviewPolicy::always);
  build.stage("work", succeed);
  build.retry("work", {.max_attempts = 4});
  const Program program = built(build);
  const StageDefinition& stage = program.workflow().stage(StageIndex{0});
  EXPECT_EQ(stage.retry.max_attempts, 4u);
  EXPECT_EQ(stage.review, ReviewPolicy::always);
}

TEST(Builder, a_stage_has_review_rules_beside_its_policy) {
  const ReviewRules rules{.assign = {"anna", "group:editors"},
                          .approvals = 2,
                          .due = 24h,
                          .overdue = OnOverdue::escalate,
                          .escalate_to = {"group:leads"},
                          .show_main = "out.text"};
  WorkflowBuilder build("reviewed");
  build.stage("work", succeed).review(ReviewPolicy::always).review_rules(rules);
  build.human_stage("check").needs("work").review_rules({.assign = {"anna"}});
  const Program program = built(build);
  EXPECT_EQ(program.workflow().stage(StageIndex{0}).review_rules, rules);
  EXPECT_EQ(program.workflow().stage(StageIndex{1}).review_rules.assign,
            std::vector<std::string>{"anna"});
}

TEST(Builder, review_rules_that_contradict_each_other_or_the_policy_are_faults) {
  WorkflowBuilder build("broken");
  build.stage("work", succeed).review_rules({.assign = {"anna"}});
  build.human_stage("check").review_rules({.assign = {"anna"}, .approvals = 2});
  EXPECT_EQ(faults(build),
            "stage 'work': has rules for its reviews, but its review is set to never; choose when "
            "a person is asked, such as always, or leave the rules out\n"
            "stage 'check': needs 2 approvals, but only 1 person is assigned; assign 2 people or a "
            "group, or ask for fewer approvals");
}

TEST(Builder, without_policies_a_stage_is_tried_once_never_reviewed_and_fails_for_good) {
  WorkflowBuilder build("plain");
  build.stage("work", succeed);
  const Program program = built(build);
  const StageDefinition& stage = program.workflow().stage(StageIndex{0});
  EXPECT_EQ(stage.retry, RetryPolicy{});
  EXPECT_EQ(stage.retry.max_attempts, 1u);
  EXPECT_EQ(stage.review, ReviewPolicy::never);
  EXPECT_EQ(stage.retry.on_exhausted, OnExhausted::fail);
}

TEST(Builder, every_fault_is_told_at_once_with_names_and_suggestions) {
  WorkflowBuilder build("broken");
  build.stage("scan", succeed).needs("index");
  build.stage("index", succeed).needs("scan");
  build.stage("export", succeed).needs("scann").retry({.max_attempts = 0});
  build.stage("export", succeed);
  build.review("exprot", ReviewPolicy::always);
  build.stage("empty", nullptr);
  const std::string text = faults(build);
  EXPECT_THAT(text, HasSubstr("did you mean 'export'?"));
  EXPECT_THAT(text, HasSubstr("did you mean 'scan'?"));
  EXPECT_THAT(text, HasSubstr("scan → index → scan"));
  EXPECT_THAT(text, HasSubstr("'empty' has no function"));
  EXPECT_THAT(text, HasSubstr("export"));
  EXPECT_GE(std::ranges::count(text, '\n'), 5) << text;
}

TEST(Builder, the_hash_is_the_content_and_says_nothing_of_the_code) {
  const auto make = [](std::uint32_t attempts, StageFunction work) {
    WorkflowBuilder build("hashed");
    build.stage("work", std::move(work)).retry({.max_attempts = attempts});
    return built(build).workflow().hash();
  };
  EXPECT_EQ(make(2, succeed), make(2, [](Context&, std::stop_token) -> Outcome { return Skip{}; }));
  EXPECT_NE(make(2, succeed), make(3, succeed));
}

// A verdict has three values, and the combination fails closed.
TEST(Gates, compose_as_all_and_any_with_three_values) {
  const auto gate = [](Verdict verdict) -> GateFunction {
    return [verdict](const GateContext&, std::stop_token) -> Judgement {
      return {.verdict = verdict, .feedback = {.summary = "no"}, .reason = "unsure"};
    };
  };
  using enum Verdict;
  struct Case {
    Verdict first, second, all, any;
  };
  for (const Case& one : std::vector<Case>{{accepted, accepted, accepted, accepted},
                                           {accepted, rejected, rejected, accepted},
                                           {accepted, uncertain, uncertain, accepted},
                                           {rejected, uncertain, rejected, uncertain},
                                           {rejected, rejected, rejected, rejected},
                                           {uncertain, uncertain, uncertain, uncertain}}) {
    for (const bool mirrored : {false, true}) {
      const std::vector<GateFunction> gates{gate(mirrored ? one.second : one.first),
                                            gate(mirrored ? one.first : one.second)};
      for (const auto& [composed, expected] :
           {std::pair(all_of(gates), one.all), std::pair(any_of(gates), one.any)}) {
        World world;
        WorkflowBuilder build("composed");
        build.stage("work", succeed).gate("both", composed);
        const JobId job = world.submit(built(build), items({"a"}));
        world.run();
        EXPECT_EQ(world.attempts(job, "a", "work")[0].verdict, expected);
      }
    }
  }
}

// Gates of one stage combine as `all` unless said; advisory ones only inform
TEST(Gates, several_gates_merge_their_feedback_and_advisory_ones_only_inform) {
  World world;
  WorkflowBuilder build("several");
  const auto says_no = [](const char* name) -> GateFunction {
    return [name](const GateContext&, std::stop_token) {
      return pawl::rejected({.summary = name, .criteria = {{name, "1", "0", false}}});
    };
  };
  build.stage("work", succeed)
      .gate("tables", says_no("tables"))
      .gate("words", says_no("words"))
      .gate("style", says_no("style"), {.advisory = true});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const Attempt attempt = world.attempts(job, "a", "work")[0];
  EXPECT_EQ(attempt.feedback->summary, "tables: tables; words: words");
  EXPECT_EQ(attempt.feedback->criteria.size(), 2u);
  ASSERT_EQ(attempt.artifacts.size(), 1u);
  EXPECT_EQ(attempt.artifacts[0].name, "advice of gate style");
}

TEST(Gates, see_the_attempts_before_and_how_many_are_left) {
  World world;
  std::vector<std::size_t> history;
  std::vector<std::uint32_t> left;
  WorkflowBuilder build("history");
  build.stage("work", succeed)
      .gate("judge",
            [&](const GateContext& gate, std::stop_token) {
              history.push_back(gate.previous_attempts.size());
              left.push_back(gate.remaining_attempts());
              EXPECT_EQ(gate.is_first_attempt(), gate.attempt == 1);
              EXPECT_EQ(gate.is_final_attempt(), gate.attempt == 3);
              return pawl::rejected({.summary = "no"});
            })
      .retry({.max_attempts = 3});
  world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(history, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(left, (std::vector<std::uint32_t>{2, 1, 0}));
}

// Only the gate's own setting opts out of asking a person
TEST(Gates, doubt_can_be_settled_by_the_gates_own_setting_only) {
  for (const auto& [setting, expected] :
       {std::pair(OnUncertain::review, StateKind::awaiting_review),
        std::pair(OnUncertain::accept, StateKind::succeeded),
        std::pair(OnUncertain::reject, StateKind::failed)}) {
    World world;
    WorkflowBuilder build("doubt");
    build.stage("work", succeed)
        .gate("judge", [](const GateContext&, std::stop_token) { return pawl::uncertain("?"); },
              {.on_uncertain = setting});
    const JobId job = world.submit(built(build), items({"a"}));
    world.run();
    EXPECT_EQ(world.kind(job, "a", "work"), expected);
  }
}

}  // namespace
}  // namespace pawl
