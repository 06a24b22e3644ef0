/// Under which names nobody acts, and what the audit trail says about acts beside their names.

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/codec/rfc3339.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Actors = PeopleContract;
using AuditDetails = PeopleContract;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, Actors, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, AuditDetails, kinds, name_of_kind);

/// What overdue reviews are rejected as would otherwise look as if time had decided.
TEST_P(Actors, never_act_as_the_engine_as_a_group_or_under_an_endless_name) {
  const Review review = asked({});
  const std::size_t entries = trail().size();
  const Workflow flow = workflow("other", {stage("a")});
  const std::vector<std::pair<Actor, std::string>> cases{
      {local_user("overdue"), "nobody acts as it"},
      {{.name = "overdue", .method = ActorMethod::claimed}, "nobody acts as it"},
      {{.name = "pawl", .kind = ActorKind::engine}, "nobody acts as it"},
      {local_user("group:editors"), "a person acts, not a group"},
      {local_user(std::string(257, 'a')), "more than 256"},
  };
  for (const auto& [actor, part] : cases) {
    SCOPED_TRACE(actor.name);
    const Answer approval{.reviewer = actor.name};
    const Result<Job> answered = drive.act(AnswerReview{review.id, approval}, actor);
    const Result<Job> submitted = drive.store().create_job({.workflow = flow, .by = actor});
    const Status changed = people().change(AddPerson{.name = "anna"}, actor);
    ASSERT_TRUE(!answered && !submitted && !changed);
    for (const Error& error : {answered.error(), submitted.error(), changed.error()}) {
      EXPECT_THAT(error.text(), HasSubstr(part));
    }
    if (actor.kind == ActorKind::person) {
      EXPECT_FALSE(drive.act(AnswerReview{review.id, approval})) << "the act itself says who";
    }
  }
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  EXPECT_EQ(trail().size(), entries);
  EXPECT_TRUE(drive.act(AnswerReview{review.id, {.reviewer = std::string(256, 'a')}}));
}

TEST_P(AuditDetails, say_what_was_decided_given_paused_and_set) {
  const JobId job = drive.submit(workflow("w", {reviewed("draft"), stage("after", {"draft"})}),
                                 {"one", "two", "three"});
  EXPECT_EQ(drive.work_once(always(succeeded(draft()))), 3);
  std::vector<ReviewId> reviews;
  const std::vector<Review> open = *drive.records().reviews({.job = job});
  for (const Review& one : open) reviews.push_back(one.id);
  const std::int64_t before = trail().back().number;
  const Timestamp until = drive.clock().now() + 10min;
  for (const Act& act : std::vector<Act>{
           AssignReview{reviews[0], {"anna", "group:editors"}, "you know it", "root"},
           AssignReview{reviews[0], {}, {}, "root"}, ClaimReview{reviews[0], "anna", until},
           ClaimReview{reviews[0], "ben", until, true},
           AnswerReview{reviews[0], {.reviewer = "ben", .attempt = 1}},
           AnswerReview{reviews[1],
                        {.outcome = ReviewOutcome::reject, .reviewer = "ben", .note = "no"}},
           PauseStage{job, StageIndex{1}},
           SkipTask{drive.task_of(job, "one", 1), "not needed", "ben"},
           SetBudget{job, Budget{.max_total_attempts = 9}},
           CancelItem{drive.records().item(job, "three")->id}}) {
    const Result<Job> done = drive.act(act);
    ASSERT_TRUE(done) << done.error().text();
  }
  std::vector<std::string> details;
  for (const AuditEntry& entry : trail({.after = before, .limit = 100})) {
    details.push_back(entry.act + ": " + entry.details);
  }
  const std::string at = rfc3339(until);
  EXPECT_THAT(details,
              ElementsAre("review.assign: to anna, group:editors", "review.assign: to everybody",
                          "review.claim: until " + at,
                          "review.claim: until " + at + ", taken over from anna",
                          "review.answer: approve of attempt 1", "review.answer: reject",
                          "stage.pause: stage 'after'", "task.skip: item 'one', stage 'after'",
                          HasSubstr("job.budget: budget {"), "item.cancel: item 'three'"));
}

}  // namespace
}  // namespace pawl::driving
