/// Reviewers: approve, edit, ask for changes, reject, and what flows downstream.

#include <gmock/gmock.h>

#include "pawl/codec/json.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::HasSubstr;

struct Reviewed : testing::Test {
  Reviewed() {
    WorkflowBuilder build("reviewed");
    build
        .stage("draft",
               [this](Context& context, std::stop_token) -> Outcome {
                 drafts.push_back(context.feedback() ? context.feedback()->summary : "");
                 return Output{
                     .json = Json::object(
                         {{"text", "draft " + std::to_string(context.attempt())}, {"words", 2}})};
               })
        .review(ReviewPolicy::always)
        .editable({"text"});
    build
        .stage("publish",
               [this](Context& context, std::stop_token) -> Outcome {
                 const Upstream draft = *context.upstream("draft");
                 published.push_back(*field(draft.json, "text").string());
                 return Output{};
               })
        .needs("draft");
    program = built(build);
    job = world.submit(*program, items({"a"}));
    world.run();
  }
  ReviewId review() { return world.open_reviews(job).at(0).id; }

  World world;
  std::optional<Program> program;
  JobId job;
  std::vector<std::string> drafts;
  std::vector<std::string> published;
};

TEST_F(Reviewed, approval_lets_the_item_go_on_with_what_was_shown) {
  EXPECT_EQ(world.kind(job, "a", "draft"), StateKind::awaiting_review);
  EXPECT_TRUE(published.empty());
  ASSERT_TRUE(
      world.engine->answer(review(), {.outcome = ReviewOutcome::approve, .reviewer = "ada"}));
  world.run();
  EXPECT_THAT(published, ElementsAre("draft 1"));
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

// In one process; tests/crash has the same across processes.
TEST_F(Reviewed, edits_replace_the_output_downstream_and_the_original_stays_in_the_attempt) {
  ASSERT_TRUE(
      world.engine->answer(review(), {.outcome = ReviewOutcome::approve_with_edits,
                                      .reviewer = "ada",
                                      .edits = Json::object({{"text", "better"}, {"words", 2}})}));
  // Another engine, without anything in memory, reads the same.
  world.engine->stop();
  auto fresh = world.another();
  fresh->serve(*program);
  fresh->run_until_idle();
  EXPECT_THAT(published, ElementsAre("better"));
  EXPECT_THAT(world.attempts(job, "a", "draft")[0].output.text(), HasSubstr("draft 1"));
  world.expect_sound();
}

TEST_F(Reviewed, edits_to_what_may_not_be_edited_are_refused_and_change_nothing) {
  const auto refused =
      world.engine->answer(review(), {.outcome = ReviewOutcome::approve_with_edits,
                                      .reviewer = "ada",
                                      .edits = Json::object({{"text", "x"}, {"words", 99}})});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
  EXPECT_THAT(refused.error().text(), HasSubstr("'words'"));
  EXPECT_EQ(world.kind(job, "a", "draft"), StateKind::awaiting_review);
}

TEST_F(Reviewed, approve_with_edits_needs_edits) {
  const auto refused = world.engine->answer(
      review(), {.outcome = ReviewOutcome::approve_with_edits, .reviewer = "ada"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
}

TEST_F(Reviewed, requested_changes_are_the_feedback_of_the_next_attempt_and_any_attempt_can_win) {
  ASSERT_TRUE(world.engine->answer(
      review(), {.outcome = ReviewOutcome::request_changes, .reviewer = "ada", .note = "shorter"}));
  world.run();
  EXPECT_THAT(drafts, ElementsAre("", "shorter"));
  EXPECT_EQ(world.attempts(job, "a", "draft")[1].cause, Cause::review_changes);
  ASSERT_TRUE(world.engine->answer(
      review(), {.outcome = ReviewOutcome::approve, .reviewer = "ada", .attempt = 1}));
  world.run();
  EXPECT_THAT(published, ElementsAre("draft 1")) << "the reviewer preferred the first";
  world.expect_sound();
}

TEST_F(Reviewed, rejection_fails_the_task_and_skips_what_needs_it) {
  ASSERT_TRUE(world.engine->answer(
      review(), {.outcome = ReviewOutcome::reject, .reviewer = "ada", .note = "tables lost"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "draft"), StateKind::failed);
  EXPECT_EQ(world.kind(job, "a", "publish"), StateKind::skipped);
  EXPECT_EQ(world.state(job), JobState::failed);
  EXPECT_EQ(world.job(job).dead_letters, 1);
  world.expect_sound();
}

// I8
TEST_F(Reviewed, of_two_answers_one_wins_and_the_other_is_told) {
  const ReviewId id = review();
  ASSERT_TRUE(world.engine->answer(id, {.outcome = ReviewOutcome::approve, .reviewer = "ada"}));
  const auto second =
      world.engine->answer(id, {.outcome = ReviewOutcome::reject, .reviewer = "bob", .note = "no"});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_THAT(second.error().message, HasSubstr("already answered by ada"));
  world.run();
  EXPECT_EQ(published.size(), 1u);
}

TEST_F(Reviewed, an_answer_for_other_content_than_is_stored_is_a_conflict) {
  const auto stale = world.engine->answer(
      review(), {.outcome = ReviewOutcome::approve, .reviewer = "ada", .digest = "sha256:0"});
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, ErrorCode::conflict);
}

TEST_F(Reviewed, an_answer_can_take_effect_later_and_be_taken_back_by_who_gave_it) {
  const ReviewId id = review();
  const Answer later{
      .outcome = ReviewOutcome::approve, .reviewer = "ada", .effective_at = world.clock.now() + 5s};
  ASSERT_TRUE(world.engine->answer(id, later));
  world.run();
  EXPECT_TRUE(published.empty());
  EXPECT_FALSE(world.engine->act(UndoAnswer{.review = id, .by = "bob"}));
  ASSERT_TRUE(world.engine->act(UndoAnswer{.review = id, .by = "ada"}));
  world.pass(10s);
  EXPECT_TRUE(published.empty());
  Answer again = later;
  again.effective_at = world.clock.now() + 5s;
  ASSERT_TRUE(world.engine->answer(id, again));
  world.pass(5s);
  EXPECT_THAT(published, ElementsAre("draft 1"));
}

TEST_F(Reviewed, a_claimed_review_is_answered_by_its_claimant_until_the_claim_runs_out) {
  const ReviewId id = review();
  ASSERT_TRUE(world.engine->act(
      ClaimReview{.review = id, .by = "ada", .until = world.clock.now() + 10min}));
  EXPECT_FALSE(world.engine->act(
      ClaimReview{.review = id, .by = "bob", .until = world.clock.now() + 10min}));
  EXPECT_FALSE(world.engine->answer(id, {.outcome = ReviewOutcome::approve, .reviewer = "bob"}));
  world.pass(11min);
  EXPECT_TRUE(world.engine->answer(id, {.outcome = ReviewOutcome::approve, .reviewer = "bob"}));
}

// Every attempt is there for the person who decides.
TEST(Review, an_exhausted_budget_escalates_with_every_attempt_recorded) {
  World world;
  WorkflowBuilder build("escalates");
  build
      .stage("work",
             [](Context& context, std::stop_token) -> Outcome {
               return Output{.json = static_cast<int>(context.attempt())};
             })
      .gate("never",
            [](const GateContext& gate, std::stop_token) {
              return rejected({.summary = "no " + std::to_string(gate.attempt)});
            })
      .retry({.max_attempts = 3, .on_exhausted = OnExhausted::escalate})
      .review(ReviewPolicy::on_escalation);
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::awaiting_review);
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[2].feedback->summary, "no 3");
  bool told = false;
  for (const Event& event : world.events()) {
    if (event.type == EventType::escalated) {
      EXPECT_EQ(event.text, "Retry budget exhausted");
      told = true;
    }
  }
  EXPECT_TRUE(told);
  const auto reviews = world.open_reviews(job);
  ASSERT_TRUE(world.engine->answer(
      reviews.at(0).id, {.outcome = ReviewOutcome::approve, .reviewer = "ada", .attempt = 2}));
  world.run();
  const Task task = world.task(job, "a", "work");
  EXPECT_EQ(world.store->records().output(task.id)->output.text(), "2");
  world.expect_sound();
}

TEST(Review, changes_asked_of_a_human_stage_restart_the_stage_it_names_once) {
  World world;
  std::vector<std::string> ran;
  const auto record = [&](const std::string& name) {
    return [&ran, name](Context& context, std::stop_token) -> Outcome {
      ran.push_back(name + (context.feedback() ? "(" + context.feedback()->summary + ")" : ""));
      return Output{.json = name + std::to_string(context.attempt())};
    };
  };
  WorkflowBuilder build("human");
  build.stage("link", record("link"));
  build.stage("check", record("check")).needs("link");
  build.human_stage("final").needs("check").changes_rerun("link");
  build.stage("ship", record("ship")).needs("final");
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  ASSERT_EQ(world.open_reviews(job).size(), 1u);
  ASSERT_TRUE(world.engine->answer(
      world.open_reviews(job)[0].id,
      {.outcome = ReviewOutcome::request_changes, .reviewer = "ada", .note = "wrong document"}));
  world.run();
  EXPECT_THAT(ran, ElementsAre("link", "check", "link(wrong document)", "check"));
  ASSERT_EQ(world.open_reviews(job).size(), 1u);
  const Task final_task = world.task(job, "a", "final");
  EXPECT_EQ(world.store->records().attempts(final_task.id)->back().output.text(), R"("check2")")
      << "outputs of the new epoch are read";
  ASSERT_TRUE(world.engine->answer(world.open_reviews(job)[0].id,
                                   {.outcome = ReviewOutcome::approve, .reviewer = "ada"}));
  world.run();
  EXPECT_EQ(ran.back(), "ship");
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

}  // namespace
}  // namespace pawl
