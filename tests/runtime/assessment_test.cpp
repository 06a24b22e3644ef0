/// What gates find is recorded with the attempt, whatever they decide.

#include <gmock/gmock.h>

#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::IsEmpty;

const Criterion enough{.name = "words", .expected = ">= 100", .actual = "107", .passed = true};
const Criterion missing{.name = "tables", .expected = "= 4", .actual = "3", .passed = false};

GateFunction says(Judgement judgement) {
  return
      [judgement = std::move(judgement)](const GateContext&, std::stop_token) { return judgement; };
}

/// The only attempt of a stage with these gates.
Attempt judged_by(const std::vector<std::pair<GateRef, GateFunction>>& gates,
                  ReviewPolicy review = ReviewPolicy::never) {
  World world;
  WorkflowBuilder build("judged");
  auto stage = build.stage("work", succeed);
  for (const auto& [reference, gate] : gates) stage.gate(reference.name, gate, reference);
  stage.review(review);
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  world.expect_sound();
  return world.attempts(job, "a", "work").at(0);
}

TEST(Assessment, of_accepted_work_is_recorded_with_the_gates_name_and_is_in_the_event) {
  World world;
  WorkflowBuilder build("accepted");
  build.stage("work", succeed)
      .gate("length", says(accepted({.summary = "long enough", .criteria = {enough}})))
      .review(ReviewPolicy::always);
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::awaiting_review);
  const Attempt attempt = world.attempts(job, "a", "work").at(0);
  EXPECT_EQ(attempt.verdict, Verdict::accepted);
  EXPECT_FALSE(attempt.feedback) << "nothing is wanted of a next attempt";
  EXPECT_THAT(
      attempt.assessments,
      ElementsAre(Assessment{.gate = "length", .summary = "long enough", .criteria = {enough}}));
  const std::vector<Event> events = world.events();
  const auto told = std::ranges::find(events, EventType::gate_accepted, &Event::type);
  ASSERT_NE(told, events.end());
  EXPECT_EQ(told->text, "long enough");
  world.expect_sound();
}

TEST(Assessment, of_a_rejection_has_the_accepting_gates_beside_the_rejecting_one) {
  const Attempt attempt =
      judged_by({{{.name = "length"}, says(accepted({.criteria = {enough}}))},
                 {{.name = "tables"}, says(rejected({.summary = "poor", .criteria = {missing}}))}});
  EXPECT_EQ(attempt.verdict, Verdict::rejected);
  EXPECT_THAT(attempt.feedback->criteria, ElementsAre(missing));
  EXPECT_THAT(attempt.assessments, ElementsAre(Assessment{.gate = "length", .criteria = {enough}},
                                               Assessment{.gate = "tables",
                                                          .verdict = Verdict::rejected,
                                                          .summary = "poor",
                                                          .criteria = {missing}}));
}

TEST(Assessment, of_an_uncertain_verdict_keeps_its_reason_and_criteria) {
  const GateFunction doubts = says(uncertain("blurred", {.criteria = {enough, missing}}));
  const Assessment recorded{.gate = "scan",
                            .verdict = Verdict::uncertain,
                            .summary = "blurred",
                            .criteria = {enough, missing}};
  const Attempt asked = judged_by({{{.name = "scan"}, doubts}}, ReviewPolicy::on_uncertain);
  EXPECT_EQ(asked.verdict_reason, "blurred");
  EXPECT_THAT(asked.assessments, ElementsAre(recorded));

  const Attempt taken =
      judged_by({{{.name = "scan", .on_uncertain = OnUncertain::accept}, doubts}});
  EXPECT_EQ(taken.verdict, Verdict::accepted);
  EXPECT_THAT(taken.assessments, ElementsAre(recorded)) << "as the gate gave it";

  const Attempt refused =
      judged_by({{{.name = "scan", .on_uncertain = OnUncertain::reject}, doubts}});
  EXPECT_EQ(refused.verdict, Verdict::rejected);
  EXPECT_EQ(refused.feedback->summary, "blurred");
  EXPECT_THAT(refused.feedback->criteria, ElementsAre(enough, missing));
  EXPECT_THAT(refused.assessments, ElementsAre(recorded));
}

TEST(Assessment, of_an_advisory_gate_is_marked_and_one_of_a_composed_gate_has_parts) {
  const Attempt attempt =
      judged_by({{{.name = "advice", .advisory = true}, says(rejected({.summary = "long"}))},
                 {{.name = "either"},
                  any_of({says(rejected({.summary = "poor", .criteria = {missing}})),
                          says(accepted({.summary = "fine", .criteria = {enough}}))})}});
  EXPECT_EQ(attempt.verdict, Verdict::accepted);
  ASSERT_EQ(attempt.assessments.size(), 2U);
  EXPECT_TRUE(attempt.assessments[0].advisory);
  EXPECT_EQ(attempt.assessments[0].verdict, Verdict::rejected);
  const Assessment& either = attempt.assessments[1];
  EXPECT_EQ(either.verdict, Verdict::accepted);
  EXPECT_THAT(either.criteria, IsEmpty());
  EXPECT_THAT(
      either.parts,
      ElementsAre(
          Assessment{
              .gate = "1", .verdict = Verdict::rejected, .summary = "poor", .criteria = {missing}},
          Assessment{.gate = "2", .summary = "fine", .criteria = {enough}}));
}

TEST(Assessment, of_the_gates_before_a_broken_one_is_kept_and_is_no_verdict) {
  const Attempt attempt =
      judged_by({{{.name = "length"}, says(accepted({.criteria = {enough}}))},
                 {{.name = "broken"}, [](const GateContext&, std::stop_token) -> Judgement {
                    throw std::runtime_error("no model");
                  }}});
  EXPECT_EQ(attempt.error->kind, ErrorKind::gate);
  EXPECT_FALSE(attempt.verdict);
  EXPECT_THAT(attempt.assessments, ElementsAre(Assessment{.gate = "length", .criteria = {enough}}));
}

}  // namespace
}  // namespace pawl
