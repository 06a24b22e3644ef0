/// Who works on a review and until when: claims, assignments, due times.

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using ReviewClaims = PeopleContract;
using Assignments = PeopleContract;
using DueTimes = PeopleContract;
using Warnings = PeopleContract;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, ReviewClaims, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Assignments, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, DueTimes, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Warnings, kinds, name_of_kind);

TEST_P(ReviewClaims, last_at_most_an_hour_and_are_renewed) {
  const Review review = asked({});
  const auto claim = [&](const std::string& who, Duration length) {
    return drive.act(ClaimReview{review.id, who, drive.clock().now() + length});
  };
  expect_error(claim("anna", 1h + 1us), ErrorCode::invalid, "a claim lasts at most an hour");
  EXPECT_EQ(stored(review).claimed_by, "");
  ASSERT_TRUE(claim("anna", 1h));
  EXPECT_EQ(stored(review).claimed_by, "anna");
  EXPECT_EQ(stored(review).claimed_until, drive.clock().now() + 1h);
  drive.clock().advance(40min);
  ASSERT_TRUE(claim("anna", 1h));
  EXPECT_EQ(stored(review).claimed_until, drive.clock().now() + 1h);
  drive.clock().advance(40min);
  expect_error(claim("ben", 1h), ErrorCode::conflict, "review 1 is claimed by anna");
}

TEST_P(ReviewClaims, are_taken_over_only_by_those_who_may_assign) {
  add("anna");
  add("ben");
  add("olga", Role::operate);
  const Review review = asked({.assign = {"anna", "ben"}});
  const Timestamp until = drive.clock().now() + 30min;
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "anna", until}, person("anna")));
  const ClaimReview steal{.review = review.id, .by = {}, .until = until, .steal = true};
  expect_error(drive.act(steal, person("ben")), ErrorCode::forbidden,
               "'ben' may not give reviews to others or take over claims as reviewer");
  const std::int64_t before = trail().back().number;
  ASSERT_TRUE(drive.act(steal, person("olga"))) << "an operator need not be assigned";
  EXPECT_EQ(stored(review).claimed_by, "olga");
  const std::vector<AuditEntry> written = trail({.after = before});
  ASSERT_THAT(written, SizeIs(1));
  EXPECT_EQ(written[0].act, "review.claim");
  EXPECT_EQ(written[0].actor.name, "olga");
  EXPECT_NE(written[0].before, written[0].after);
  expect_error(drive.act(AnswerReview{review.id, {}}, person("anna")), ErrorCode::conflict,
               "review 1 is claimed by olga");
  expect_error(drive.act(ReleaseReview{review.id, "anna"}, person("anna")), ErrorCode::conflict,
               "review 1 is not claimed by anna");
  ASSERT_TRUE(drive.act(ReleaseReview{review.id, "olga"}, person("olga")));
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {}}, person("anna")));
}

TEST_P(ReviewClaims, end_with_a_vote_so_that_the_next_person_need_not_wait) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "anna", drive.clock().now() + 1h}));
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(stored(review).claimed_by, "");
  EXPECT_EQ(stored(review).claimed_until, no_time);
  ASSERT_TRUE(approve(review, "ben"));
}

TEST_P(Assignments, are_handed_over_by_those_who_have_them) {
  add("anna");
  add("ben");
  add("cleo", Role::reviewer, {"editors"});
  const Review review = asked({.assign = {"anna"}});
  const AssignReview hand_over{review.id, {"ben", "group:editors"}, "I am away", {}};
  expect_error(drive.act(hand_over, person("cleo")), ErrorCode::forbidden,
               "'cleo' may not give reviews to others or take over claims as reviewer");
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "anna", drive.clock().now() + 1h}, person("anna")));
  const std::int64_t before = trail().back().number;
  ASSERT_TRUE(drive.act(hand_over, person("anna")));
  EXPECT_THAT(stored(review).assigned, ElementsAre("ben", "group:editors"));
  EXPECT_EQ(stored(review).claimed_by, "") << "it is not anna's any more";
  const std::vector<Event> assigned = events_of(EventType::review_assigned);
  ASSERT_THAT(assigned, SizeIs(1));
  EXPECT_EQ(assigned[0].task, review.task);
  EXPECT_EQ(assigned[0].text, "ben, group:editors: I am away");
  EXPECT_EQ(assigned[0].by, "anna");
  const std::vector<AuditEntry> written = trail({.after = before});
  ASSERT_THAT(written, SizeIs(1));
  EXPECT_EQ(written[0].act, "review.assign");
  EXPECT_EQ(written[0].reason, "I am away");
  expect_error(drive.act(AnswerReview{review.id, {}}, person("anna")), ErrorCode::forbidden,
               "review 1 is not assigned to 'anna'");
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {}}, person("cleo")));
}

TEST_P(Assignments, of_everybody_or_of_others_are_changed_only_by_an_operator) {
  add("anna");
  add("olga", Role::operate);
  const Review review = asked({});
  expect_error(drive.act(AssignReview{review.id, {"anna"}, "", {}}, person("anna")),
               ErrorCode::forbidden, "'anna' may not give reviews to others");
  ASSERT_TRUE(drive.act(AssignReview{review.id, {"anna"}, "", {}}, person("olga")));
  expect_error(drive.act(AnswerReview{review.id, {}}, person("olga")), ErrorCode::forbidden,
               "review 1 is not assigned to 'olga'");
  ASSERT_TRUE(drive.act(AssignReview{review.id, {}, "", {}}, person("olga")));
  EXPECT_THAT(stored(review).assigned, IsEmpty());
  EXPECT_EQ(events_of(EventType::review_assigned).back().text, "everybody");
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {}}, person("olga")));
  expect_error(drive.act(AssignReview{review.id, {"anna"}, "", {}}, person("olga")),
               ErrorCode::conflict, "was already answered by olga");
}

TEST_P(Assignments, keep_the_claim_of_somebody_to_whom_it_is_still_assigned) {
  add("anna", Role::reviewer, {"editors"});
  const Review review = asked({});
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "anna", drive.clock().now() + 1h}, person("anna")));
  ASSERT_TRUE(drive.act(AssignReview{review.id, {"group:editors"}, "", "root"}));
  EXPECT_EQ(stored(review).claimed_by, "anna");
  ASSERT_TRUE(drive.act(AssignReview{review.id, {"group:writers"}, "", "root"}));
  EXPECT_EQ(stored(review).claimed_by, "");
}

TEST_P(Assignments, must_be_able_to_give_the_approvals_that_the_rules_need) {
  const Review review = asked({.approvals = 2});
  const auto assign = [&](std::vector<std::string> to) {
    return drive.act(AssignReview{review.id, std::move(to), "", "olga"});
  };
  expect_error(assign({"anna"}), ErrorCode::invalid,
               "2 approvals are needed, but only 1 can be given: anna");
  expect_error(assign({"anna", "anna"}), ErrorCode::invalid, "'anna' is named twice");
  expect_error(assign({"anna", "no name"}), ErrorCode::invalid,
               "'no name' cannot be the name of a person");
  expect_error(assign({"group:"}), ErrorCode::invalid, "'' cannot be the name of a group");
  EXPECT_THAT(stored(review).assigned, IsEmpty());
  ASSERT_TRUE(assign({"group:editors"}));
}

TEST_P(Assignments, votes_that_were_given_before_still_count) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(approve(review, "anna"));
  ASSERT_TRUE(drive.act(AssignReview{review.id, {"ben", "cleo"}, "", "olga"}));
  ASSERT_TRUE(approve(review, "ben"));
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
}

TEST_P(DueTimes, are_fixed_when_the_review_opens_and_noticed_at_three_quarters_and_when_due) {
  const Timestamp opened = drive.clock().now();
  const Review review = asked({.due = 4h});
  EXPECT_EQ(review.due_at, opened + 4h);
  EXPECT_EQ(drive.store().sweep({})->next_due, opened + 3h);
  drive.clock().advance_to(opened + 3h - 1us);
  EXPECT_EQ(drive.store().sweep({})->noticed, 0);
  drive.clock().advance(1us);
  const Swept soon = *drive.store().sweep({});
  EXPECT_EQ(soon.noticed, 1);
  EXPECT_EQ(soon.next_due, opened + 4h);
  EXPECT_EQ(drive.store().sweep({})->noticed, 0) << "once";
  drive.clock().advance_to(opened + 4h);
  const Swept overdue = *drive.store().sweep({});
  EXPECT_EQ(overdue.noticed, 1);
  EXPECT_EQ(overdue.next_due, no_time) << "there is nothing more to say";

  const std::vector<Event> notices = events_of(EventType::review_overdue);
  ASSERT_THAT(notices, SizeIs(2));
  EXPECT_EQ(notices[0].code, static_cast<std::int32_t>(ReviewNotice::due_soon));
  EXPECT_EQ(notices[1].code, static_cast<std::int32_t>(ReviewNotice::overdue));
  EXPECT_EQ(notices[1].when, review.due_at);
  EXPECT_EQ(notices[1].task, review.task);
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  EXPECT_EQ(stored(review).due_at, review.due_at);
  ASSERT_TRUE(approve(review, "anna")) << "late is better than never";
}

TEST_P(DueTimes, that_passed_while_nobody_looked_are_noticed_once) {
  const Review review = asked({.due = 4h});
  drive.clock().advance(100h);
  EXPECT_EQ(drive.store().sweep({})->noticed, 1);
  EXPECT_EQ(drive.store().sweep({})->noticed, 0);
  EXPECT_THAT(events_of(EventType::review_overdue), SizeIs(1));
  EXPECT_EQ(stored(review).notice_at, no_time);
}

TEST_P(DueTimes, of_answered_reviews_are_of_no_interest) {
  const Review review = asked({.due = 4h});
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(stored(review).notice_at, no_time);
  drive.clock().advance(5h);
  EXPECT_EQ(drive.store().sweep({})->noticed, 0);
  EXPECT_THAT(events_of(EventType::review_overdue), IsEmpty());
}

TEST_P(DueTimes, may_widen_the_assignment_when_they_pass) {
  const Review review = asked({.assign = {"anna"},
                               .due = 4h,
                               .overdue = OnOverdue::escalate,
                               .escalate_to = {"group:leads", "anna"}});
  drive.clock().advance(3h);
  ASSERT_EQ(drive.store().sweep({})->noticed, 1);
  EXPECT_THAT(stored(review).assigned, ElementsAre("anna")) << "it is only due soon";
  drive.clock().advance(1h);
  ASSERT_EQ(drive.store().sweep({})->noticed, 1);
  EXPECT_THAT(stored(review).assigned, ElementsAre("anna", "group:leads"));
  EXPECT_EQ(events_of(EventType::review_overdue).back().code,
            static_cast<std::int32_t>(ReviewNotice::escalated));
  const std::vector<Event> assigned = events_of(EventType::review_assigned);
  ASSERT_THAT(assigned, SizeIs(1));
  EXPECT_EQ(assigned[0].text, "anna, group:leads");
  EXPECT_EQ(assigned[0].by, "");
  add("lea", Role::reviewer, {"leads"});
  add("anna");
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {}}, person("lea")));
}

TEST_P(DueTimes, do_not_narrow_what_is_everybodys) {
  const Review review = asked(
      {.assign = {"anna"}, .due = 4h, .overdue = OnOverdue::escalate, .escalate_to = {"lea"}});
  ASSERT_TRUE(drive.act(AssignReview{review.id, {}, "", "olga"}));
  drive.clock().advance(4h);
  ASSERT_EQ(drive.store().sweep({})->noticed, 1);
  EXPECT_THAT(stored(review).assigned, IsEmpty());
}

TEST_P(DueTimes, may_reject_exactly_when_they_pass_and_not_earlier) {
  const Timestamp opened = drive.clock().now();
  const Review review = asked({.approvals = 2, .due = 4h, .overdue = OnOverdue::reject});
  ASSERT_TRUE(approve(review, "anna"));
  drive.clock().advance_to(opened + 4h - 1us);
  EXPECT_EQ(drive.store().sweep({})->noticed, 1) << "due soon";
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  const std::int64_t before = trail().back().number;
  drive.clock().advance(1us);
  EXPECT_EQ(drive.store().sweep({})->noticed, 1);

  EXPECT_EQ(std::get<Failed>(reviewed_task(review).state).cause, FailCause::rejected_by_review);
  EXPECT_EQ(drive.job(review.job).dead_letters, 1);
  EXPECT_EQ(drive.task(review.job, "x", 1).kind(), StateKind::skipped);
  EXPECT_EQ(state_of(drive.job(review.job)), JobState::failed);
  const Review closed = stored(review);
  EXPECT_EQ(closed.status, ReviewStatus::closed);
  EXPECT_EQ(closed.answer->outcome, ReviewOutcome::reject);
  EXPECT_EQ(closed.answer->reviewer, overdue_name);
  EXPECT_EQ(closed.closed_at, review.due_at);
  ASSERT_THAT(answers(review), SizeIs(2));
  EXPECT_EQ(answers(review)[1].by_kind, ActorKind::engine);
  EXPECT_EQ(answers(review)[1].answer, closed.answer);
  EXPECT_EQ(events_of(EventType::review_overdue).back().code,
            static_cast<std::int32_t>(ReviewNotice::rejected));
  const std::vector<AuditEntry> written = trail({.after = before});
  ASSERT_THAT(written, SizeIs(1));
  EXPECT_EQ(written[0].actor.name, overdue_name);
  EXPECT_EQ(written[0].actor.kind, ActorKind::engine);
  EXPECT_EQ(written[0].act, "review.answer");
  EXPECT_EQ(written[0].target, "review 1");
  EXPECT_EQ(written[0].job, review.job);
  EXPECT_NE(written[0].before, written[0].after);
}

TEST_P(DueTimes, never_approve_anything) {
  for (const OnOverdue rule : {OnOverdue::remind, OnOverdue::escalate, OnOverdue::reject}) {
    const Review review =
        asked({.assign = {"anna", "ben"},
               .approvals = 2,
               .due = 2s,
               .overdue = rule,
               .escalate_to = rule == OnOverdue::escalate ? std::vector<std::string>{"lea"}
                                                          : std::vector<std::string>{}});
    ASSERT_TRUE(approve(review, "anna"));
    for (int i = 0; i < 4; ++i) {
      drive.clock().advance(1s);
      ASSERT_TRUE(drive.store().sweep({}));
    }
    const StateKind expected =
        rule == OnOverdue::reject ? StateKind::failed : StateKind::awaiting_review;
    EXPECT_EQ(reviewed_task(review).kind(), expected);
  }
}

TEST_P(DueTimes, spare_an_answer_that_was_given_in_time_unless_it_is_taken_back) {
  const Review kept = asked({.due = 1h, .overdue = OnOverdue::reject});
  drive.clock().advance(1h - 10s);
  ASSERT_TRUE(drive.store().sweep({}));
  ASSERT_TRUE(approve_later(kept, "anna", 30s));
  drive.clock().advance(10s);
  EXPECT_EQ(drive.store().sweep({})->noticed, 0);
  drive.clock().advance(20s);
  EXPECT_EQ(drive.store().sweep({})->answered, 1);
  EXPECT_EQ(reviewed_task(kept).kind(), StateKind::succeeded);

  const Review taken_back = asked({.due = 1h, .overdue = OnOverdue::reject});
  drive.clock().advance(1h - 10s);
  ASSERT_TRUE(approve_later(taken_back, "anna", 30s));
  drive.clock().advance(20s);
  ASSERT_TRUE(undo(taken_back, "anna"));
  EXPECT_EQ(drive.store().sweep({})->noticed, 1);
  EXPECT_EQ(reviewed_task(taken_back).kind(), StateKind::failed);
}

TEST_P(DueTimes, wait_while_a_limit_has_ended_the_job_and_end_with_a_cancelled_one) {
  const Workflow flow = workflow("w", {ruled({.due = 1h, .overdue = OnOverdue::reject})});
  const JobId job = drive.submit(flow, {"x", "doomed"},
                                 NewJob{.workflow = flow, .tolerate_failures = {.count = 0}});
  for (const Claimed& claimed : drive.claim()) {
    drive.close(claimed, claimed.item_key == "x" ? succeeded() : failed("torn", ErrorClass::final));
  }
  const Review review = open_review(job);
  ASSERT_EQ(drive.job(job).cancelled, CancelCause::tolerance);
  drive.clock().advance(1h);
  ASSERT_TRUE(drive.store().sweep({}));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 9}}));
  drive.clock().advance(1h);
  ASSERT_TRUE(drive.store().sweep({}));
  EXPECT_EQ(reviewed_task(review).kind(), StateKind::failed);

  const Review dropped = asked({.due = 1h, .overdue = OnOverdue::reject});
  ASSERT_TRUE(drive.act(CancelJob{dropped.job}));
  drive.clock().advance(2h);
  ASSERT_TRUE(drive.store().sweep({}));
  EXPECT_THAT(answers(dropped), IsEmpty());
  EXPECT_EQ(drive.store().sweep({})->next_due, no_time) << "nobody has to look at it again";
}

TEST_P(DueTimes, survive_a_rerun_with_a_new_review_and_a_new_time) {
  const Review review = asked({.due = 4h, .overdue = OnOverdue::reject});
  drive.clock().advance(2h);
  ASSERT_TRUE(drive.act(Rerun{.task = review.task}));
  EXPECT_EQ(stored(review).notice_at, no_time);
  drive.work_once(always(succeeded()));
  const Review next = open_review(review.job);
  EXPECT_EQ(next.due_at, drive.clock().now() + 4h);
  drive.clock().advance(2h);
  ASSERT_TRUE(drive.store().sweep({}));
  EXPECT_EQ(stored(next).status, ReviewStatus::open);
}

TEST_P(Warnings, of_a_budget_come_once_at_four_fifths_and_again_after_it_was_raised) {
  const Workflow flow = workflow("w", {stage("a")});
  const JobId job = drive.submit(flow, {"1", "2", "3", "4", "5", "6"},
                                 NewJob{.workflow = flow, .budget = {.cost_microusd = 100}});
  const auto spend = [&](std::int64_t cost) {
    Attempt closed = succeeded();
    closed.usage.cost_microusd = cost;
    drive.close(drive.claim(1)[0], closed);
    return count_events(EventType::budget_near);
  };
  EXPECT_EQ(spend(79), 0);
  EXPECT_EQ(spend(1), 1);
  EXPECT_EQ(events_of(EventType::budget_near)[0].code, static_cast<std::int32_t>(BudgetKind::cost));
  EXPECT_EQ(events_of(EventType::budget_near)[0].job, job);
  EXPECT_EQ(spend(5), 1) << "once";
  ASSERT_TRUE(drive.act(SetBudget{job, {.cost_microusd = 200}}));
  EXPECT_EQ(spend(74), 1) << "159 of 200";
  EXPECT_EQ(spend(1), 2);
  ASSERT_TRUE(drive.act(SetBudget{job, {.max_total_attempts = 6, .cost_microusd = 200}}));
  EXPECT_EQ(count_events(EventType::budget_near), 3) << "five of six attempts";
  EXPECT_EQ(events_of(EventType::budget_near)[2].code,
            static_cast<std::int32_t>(BudgetKind::total_attempts));
}

TEST_P(Warnings, the_end_of_an_attempt_tells_how_long_it_took) {
  drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  const std::vector<Claimed> claimed = drive.claim();
  Attempt ran = succeeded();
  ran.started_at = drive.clock().now();
  drive.clock().advance(1'500ms);
  drive.close(claimed[0], ran);
  Attempt released;
  released.result = AttemptResult::interrupted;
  released.ran = false;
  drive.close(claimed[1], released);
  const std::vector<Event> finished = events_of(EventType::attempt_finished);
  ASSERT_THAT(finished, SizeIs(2));
  EXPECT_EQ(finished[0].count, 1'500'000);
  EXPECT_EQ(finished[1].count, 0) << "it never started";
}

TEST_P(Warnings, the_end_of_an_attempt_that_a_rerun_cut_short_tells_how_long_it_took_too) {
  drive.submit(workflow("w", {stage("a")}), {"x"});
  const Claimed running = drive.claim()[0];
  drive.clock().advance(2s);
  ASSERT_TRUE(drive.act(Rerun{.task = running.task.id}));
  const std::vector<Event> finished = events_of(EventType::attempt_finished);
  ASSERT_THAT(finished, SizeIs(1));
  EXPECT_EQ(finished[0].count, 2'000'000);
  drive.expect_sound();
}

}  // namespace
}  // namespace pawl::driving
