/// Proves that the model can disagree about people: what they may do, and what follows from their
/// answers.

#include "simulation/noticing.hpp"

namespace pawl::simulation {
namespace {

using namespace std::chrono_literals;
using driving::always;
using driving::stage;
using driving::succeeded;
using driving::workflow;
using testing::HasSubstr;
using testing::IsEmpty;

class NoticingPeople : public Noticing {
 protected:
  /// The review of item x, whose stage has these rules.
  ReviewId asked(ReviewRules rules, const Actor& submitter = {}) {
    StageDefinition ruled = reviewed("a");
    ruled.review_rules = std::move(rules);
    const Workflow flow = workflow("w", {ruled});
    job_ = drive.submit(flow, {"x"}, {.workflow = flow, .by = submitter});
    drive.work_once(always(succeeded()));
    return drive.records().reviews({.job = job_})->front().id;
  }
  void approve(ReviewId review, const std::string& who) {
    ASSERT_TRUE(drive.act(AnswerReview{review, {.reviewer = who}}));
  }
  void edit(ReviewId review, const std::string& who) {
    ASSERT_TRUE(drive.act(AnswerReview{
        review,
        {.outcome = ReviewOutcome::approve_with_edits, .reviewer = who, .edits = Json("edited")}}));
  }
  /// From now on every act is done as this one.
  void act_instead(Act other) {
    broken->acts = [this, other = std::move(other)](const Act&) {
      return broken->inner().act(other);
    };
  }

  JobId job_;
};

TEST_F(NoticingPeople, nothing_where_nothing_is_broken) {
  const ReviewId review = asked({.approvals = 2, .self_approval = false, .due = 8s});
  approve(review, "anna");
  edit(review, "ben");
  drive.clock().advance(7s);
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  ASSERT_TRUE(drive.act(UndoAnswer{review, "ben"}));
  approve(review, "anna");
  approve(review, "ben");
  EXPECT_THAT(differences(), IsEmpty());
}

TEST_F(NoticingPeople, a_second_vote_of_the_same_person) {
  const ReviewId review = asked({.approvals = 2});
  approve(review, "anna");
  EXPECT_THAT(differences(), IsEmpty());
  act_instead(AnswerReview{review, {.reviewer = "ben"}});
  approve(review, "anna");
  expect_noticed("act 11: model conflict, store done in job 1");
}

TEST_F(NoticingPeople, a_vote_for_other_content_that_still_counts) {
  broken->shown().alter_answers = [](std::vector<GivenAnswer>& answers) {
    for (GivenAnswer& one : answers) one.fate = AnswerFate::counts;
  };
  const ReviewId review = asked({.approvals = 2});
  approve(review, "anna");
  EXPECT_THAT(differences(), IsEmpty());
  edit(review, "ben");
  expect_noticed("review 1 answer 1: fate: model void, store counts");
}

TEST_F(NoticingPeople, an_approval_of_ones_own_work) {
  // The store gets a workflow without the rule; the model knows the rule.
  broken->creates = [&](NewJob job) {
    job.workflow = workflow("w", {reviewed("a")});
    return broken->inner().create_job(job);
  };
  const ReviewId review = asked({.self_approval = false}, {.name = "sam"});
  EXPECT_THAT(differences(), IsEmpty());
  approve(review, "sam");
  expect_noticed("stage 'a': state: model awaiting_review (policy), store succeeded by attempt 1");
}

TEST_F(NoticingPeople, an_answer_of_somebody_to_whom_the_review_is_not_assigned) {
  const ReviewId review = asked({.assign = {"anna"}});
  act_instead(AnswerReview{review, {.reviewer = "anna"}});
  approve(review, "ben");
  expect_noticed("act 11: model forbidden, store done in job 1");
}

TEST_F(NoticingPeople, somebody_who_takes_back_the_vote_of_another) {
  const ReviewId review = asked({.approvals = 2});
  approve(review, "anna");
  act_instead(UndoAnswer{review, "anna"});
  ASSERT_TRUE(drive.act(UndoAnswer{review, "ben"}));
  expect_noticed("act 12: model refused, store done in job 1");
}

TEST_F(NoticingPeople, a_notice_that_comes_early) {
  (void)asked({.due = 8s});
  broken->sweeps = [&](const SweepRequest& request) {
    broken->inner_clock().ahead = 1us;
    Result<Swept> swept = broken->inner().sweep(request);
    broken->inner_clock().ahead = 0s;
    return swept;
  };
  drive.clock().advance(6s - 1us);
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  expect_noticed("sweep: noticed: model 0, store 1");
}

TEST_F(NoticingPeople, a_due_time_that_is_not_what_the_rules_say) {
  broken->shown().alter_reviews = [](std::vector<Review>& reviews) {
    for (Review& one : reviews) one.due_at += 1us;
  };
  (void)asked({.due = 8s});
  expect_noticed("review 1: due at: model 1700000008000000, store 1700000008000001");
}

TEST_F(NoticingPeople, an_overdue_review_that_is_not_rejected) {
  (void)asked({.due = 8s, .overdue = OnOverdue::reject});
  broken->sweeps = [](const SweepRequest&) -> Result<Swept> { return Swept{.noticed = 1}; };
  drive.clock().advance(8s);
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  expect_noticed("the audit trail lacks review.answer of review 1 by 'overdue'");
  EXPECT_THAT(differences()[1], HasSubstr("state: model failed"));
}

TEST_F(NoticingPeople, an_act_of_somebody_who_may_not_do_it) {
  (void)asked({});
  ASSERT_TRUE(drive.store().people().change(AddPerson{"vera", Role::viewer, {}}, {.name = "root"}));
  EXPECT_THAT(differences(), IsEmpty());
  act_instead(PauseJob{job_});
  (void)drive.act(PauseJob{job_}, {.name = "vera", .method = ActorMethod::session});
  expect_noticed("act 1: model forbidden, store done in job 1");
}

TEST_F(NoticingPeople, an_act_without_an_entry_in_the_audit_trail) {
  broken->shown().alter_audit = [](std::vector<AuditEntry>& entries) {
    std::erase_if(entries, [](const AuditEntry& one) { return one.act == "job.pause"; });
  };
  (void)asked({});
  EXPECT_THAT(differences(), IsEmpty());
  ASSERT_TRUE(drive.act(PauseJob{job_}, {.name = "olga"}));
  expect_noticed("the audit trail lacks job.pause of job 1 by 'olga'");
}

TEST_F(NoticingPeople, an_entry_in_the_audit_trail_of_an_act_that_was_refused) {
  const ReviewId review = asked({.assign = {"anna"}});
  broken->acts = [&](const Act& act) {
    (void)broken->inner().act(ClaimReview{review, "anna", drive.clock().now() + 1s});
    return broken->inner().act(act);
  };
  ASSERT_FALSE(drive.act(ClaimReview{review, "ben", drive.clock().now() + 1s}));
  expect_noticed("review.claim of review 1 by 'anna': nothing was done");
}

TEST_F(NoticingPeople, a_task_of_a_paused_stage_that_is_opened) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  broken->claims = [&](const ClaimRequest& request) {
    (void)broken->inner().act(ResumeStage{.job = job, .stage = {}});
    Result<Claims> claims = broken->inner().claim(request);
    (void)broken->inner().act(PauseStage{.job = job, .stage = {}});
    return claims;
  };
  ASSERT_TRUE(drive.act(PauseStage{.job = job, .stage = {}}));
  EXPECT_THAT(differences(), IsEmpty());
  (void)drive.claim();
  expect_noticed("job 1 item 'x' stage 'a': opened for worker 1, though its stage is paused");
}

}  // namespace
}  // namespace pawl::simulation
