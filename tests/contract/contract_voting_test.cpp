/// Answers to reviews: how they count, who may give them, and what becomes of them.

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using enum AnswerFate;

using Voting = PeopleContract;
using WhoMayVote = PeopleContract;
using Edits = PeopleContract;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, Voting, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, WhoMayVote, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Edits, kinds, name_of_kind);

TEST_P(Voting, every_answer_has_its_own_row_and_one_that_was_taken_back_keeps_it) {
  const Review review = asked({});
  const Timestamp given_at = drive.clock().now();
  ASSERT_TRUE(approve_later(review, "anna", 5s));
  drive.clock().advance(2s);
  ASSERT_TRUE(undo(review, "anna"));
  ASSERT_TRUE(approve(review, "anna"));

  const std::vector<GivenAnswer> rows = answers(review);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].review, review.id);
  EXPECT_EQ(rows[0].number, 1U);
  EXPECT_EQ(rows[0].answer.reviewer, "anna");
  EXPECT_EQ(rows[0].answer.effective_at, given_at + 5s);
  EXPECT_EQ(rows[0].by_kind, ActorKind::person);
  EXPECT_EQ(rows[0].given_at, given_at);
  EXPECT_EQ(rows[0].fate, withdrawn);
  EXPECT_EQ(rows[0].ended_at, given_at + 2s);
  EXPECT_EQ(rows[1].number, 2U);
  EXPECT_EQ(rows[1].given_at, given_at + 2s);
  EXPECT_EQ(rows[1].fate, counts);
  EXPECT_EQ(rows[1].ended_at, no_time);
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
  EXPECT_EQ(stored(review).answer, rows[1].answer);
  EXPECT_THAT(answers({.id = ReviewId{77}}), IsEmpty());
}

TEST_P(Voting, approving_taking_back_and_approving_again_leaves_three_entries_in_the_audit_trail) {
  const Review review = asked({});
  const std::int64_t before = trail().back().number;
  ASSERT_TRUE(approve_later(review, "anna", 5s));
  ASSERT_TRUE(undo(review, "anna"));
  ASSERT_TRUE(approve(review, "anna"));
  std::vector<std::string> acts;
  for (const AuditEntry& entry : trail({.after = before})) {
    acts.push_back(entry.actor.name + " " + entry.act + " " + entry.target);
  }
  EXPECT_THAT(acts, ElementsAre("anna review.answer review 1", "anna review.undo review 1",
                                "anna review.answer review 1"));
}

TEST_P(Voting, as_many_different_people_as_the_rules_say_must_approve) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  EXPECT_EQ(stored(review).answer, std::nullopt);
  EXPECT_EQ(reviewed_task(review).kind(), StateKind::awaiting_review);
  expect_error(approve(review, "anna"), ErrorCode::conflict,
               "'anna' has approved review 1 already");
  EXPECT_THAT(answers(review), SizeIs(1)) << "the refused answer was not written";

  ASSERT_TRUE(approve(review, "ben"));
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
  EXPECT_EQ(stored(review).answer->reviewer, "ben");
  EXPECT_EQ(reviewed_task(review).kind(), StateKind::succeeded);
  EXPECT_THAT(fates(review), ElementsAre(counts, counts));
  expect_error(approve(review, "cleo"), ErrorCode::conflict, "was already answered by ben");
}

TEST_P(Voting, every_answer_that_is_not_yet_effective_is_an_event_and_so_is_the_decision) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {.reviewer = "anna", .note = "well done"}}));
  const Timestamp later = drive.clock().now() + 5s;
  ASSERT_TRUE(approve_later(review, "ben", 5s));
  ASSERT_TRUE(undo(review, "ben"));
  ASSERT_TRUE(approve(review, "cleo"));

  const std::vector<Event> answered = events_of(EventType::review_answered);
  ASSERT_THAT(answered, SizeIs(2));
  EXPECT_EQ(answered[0].item, review.item);
  EXPECT_EQ(answered[0].task, review.task);
  EXPECT_EQ(answered[0].attempt, review.attempt);
  EXPECT_EQ(answered[0].code, static_cast<std::int32_t>(ReviewOutcome::approve));
  EXPECT_EQ(answered[0].count, 1) << "one approval so far";
  EXPECT_EQ(answered[0].when, no_time);
  EXPECT_EQ(answered[0].text, "well done");
  EXPECT_EQ(answered[0].by, "anna");
  EXPECT_EQ(answered[1].count, 2);
  EXPECT_EQ(answered[1].when, later);
  EXPECT_EQ(answered[1].by, "ben");
  const std::vector<Event> taken_back = events_of(EventType::review_withdrawn);
  ASSERT_THAT(taken_back, SizeIs(1));
  EXPECT_EQ(taken_back[0].task, review.task);
  EXPECT_EQ(taken_back[0].by, "ben");
  const std::vector<Event> decided = events_of(EventType::review_decided);
  ASSERT_THAT(decided, SizeIs(1));
  EXPECT_EQ(decided[0].by, "cleo");
}

TEST_P(Voting, an_edit_makes_other_content_and_voids_the_approvals_before_it) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(approve(review, "anna"));
  drive.clock().advance(1s);
  ASSERT_TRUE(edit(review, "ben", edited()));
  EXPECT_THAT(fates(review), ElementsAre(voided, counts));
  EXPECT_EQ(answers(review)[0].ended_at, drive.clock().now());
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  drive.expect_sound();

  // What anna would approve now is not what she saw.
  EXPECT_NE(stored(review).digest, review.digest);
  expect_error(drive.act(AnswerReview{review.id, {.reviewer = "anna", .digest = review.digest}}),
               ErrorCode::conflict, "its digest is now " + stored(review).digest);
  ASSERT_TRUE(
      drive.act(AnswerReview{review.id, {.reviewer = "anna", .digest = stored(review).digest}}));
  EXPECT_THAT(fates(review), ElementsAre(voided, counts, counts));
  EXPECT_EQ(answers(review)[2].answer.outcome, ReviewOutcome::approve_with_edits)
      << "an approval means the content that was proposed";
  EXPECT_EQ(answers(review)[2].answer.edits, edited());
  EXPECT_EQ(drive.records().output(review.task)->output, edited());
  EXPECT_TRUE(drive.records().output(review.task)->edited);
}

TEST_P(Voting, other_edits_void_the_approvals_of_the_first_ones) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(edit(review, "anna", edited()));
  const std::string first_digest = stored(review).digest;
  ASSERT_TRUE(edit(review, "ben", edited_again()));
  EXPECT_THAT(fates(review), ElementsAre(voided, counts));
  EXPECT_NE(stored(review).digest, first_digest);
  ASSERT_TRUE(edit(review, "anna", edited_again())) << "it is the same content as ben's";
  EXPECT_THAT(fates(review), ElementsAre(voided, counts, counts));
  EXPECT_EQ(drive.records().output(review.task)->output, edited_again());
}

TEST_P(Voting, an_attempt_is_content_too) {
  StageDefinition stage_of_two = with_attempts(ruled({.approvals = 2}), 2);
  stage_of_two.gates = {{.name = "good"}};
  stage_of_two.retry.on_exhausted = OnExhausted::escalate;
  const JobId job = drive.submit(workflow("w", {stage_of_two}), {"x"});
  drive.work([](const Claimed& claimed) -> Work {
    Attempt closed = rejected("poor");
    closed.output = Json(static_cast<int>(claimed.task.attempts));
    return {.closed = closed};
  });
  const Review review = open_review(job);
  const auto choose = [&](const std::string& who, AttemptNumber attempt) {
    return drive.act(AnswerReview{review.id, {.reviewer = who, .attempt = attempt}});
  };
  ASSERT_TRUE(choose("anna", 2));
  ASSERT_TRUE(choose("ben", 1));
  EXPECT_THAT(fates(review), ElementsAre(voided, counts));
  ASSERT_TRUE(approve(review, "cleo"));
  EXPECT_EQ(answers(review)[2].answer.attempt, 1U);
  EXPECT_EQ(drive.records().output(review.task)->output, Json(1));
}

TEST_P(Voting, without_self_approval_the_submitter_is_not_enough) {
  const Review review = asked({.self_approval = false}, "sam");
  EXPECT_EQ(drive.job(review.job).submitted_by, "sam");
  ASSERT_TRUE(approve(review, "sam"));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
  EXPECT_EQ(reviewed_task(review).kind(), StateKind::succeeded);
}

TEST_P(Voting, without_self_approval_the_editor_is_not_enough_either) {
  const Review review = asked({.self_approval = false}, "sam");
  ASSERT_TRUE(edit(review, "anna", edited()));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  ASSERT_TRUE(approve(review, "sam"));
  EXPECT_EQ(stored(review).status, ReviewStatus::open) << "the editor and the submitter";
  ASSERT_TRUE(approve(review, "cleo"));
  EXPECT_EQ(drive.records().output(review.task)->output, edited());
}

TEST_P(Voting, with_self_approval_the_submitter_decides_alone) {
  const Review review = asked({}, "sam");
  ASSERT_TRUE(edit(review, "sam", edited()));
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
}

TEST_P(Voting, one_rejection_decides_at_once) {
  const Review review = asked({.approvals = 3});
  ASSERT_TRUE(approve(review, "anna"));
  ASSERT_TRUE(say(review, ReviewOutcome::reject, "ben"));
  EXPECT_EQ(std::get<Failed>(reviewed_task(review).state).cause, FailCause::rejected_by_review);
  EXPECT_EQ(stored(review).answer->reviewer, "ben");
  EXPECT_EQ(drive.job(review.job).dead_letters, 1);
}

TEST_P(Voting, one_request_for_changes_decides_at_once_and_the_next_review_counts_anew) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(approve(review, "anna"));
  ASSERT_TRUE(say(review, ReviewOutcome::request_changes, "ben"));
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
  drive.work_once(always(succeeded(draft())));
  const Review next = open_review(review.job);
  ASSERT_TRUE(approve(next, "anna"));
  EXPECT_EQ(stored(next).status, ReviewStatus::open);
  ASSERT_TRUE(approve(next, "ben"));
  EXPECT_EQ(stored(next).status, ReviewStatus::closed);
  EXPECT_THAT(answers(review), SizeIs(2));
  EXPECT_THAT(answers(next), SizeIs(2));
}

TEST_P(Voting, an_approval_that_is_not_yet_enough_may_be_taken_back) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(edit(review, "anna", edited()));
  expect_error(undo(review, "ben"), ErrorCode::refused,
               "only the person who gave an answer may take back");
  ASSERT_TRUE(undo(review, "anna"));
  EXPECT_THAT(fates(review), ElementsAre(withdrawn));
  EXPECT_EQ(stored(review).digest, review.digest) << "her edits are not proposed any more";
  expect_error(undo(review, "anna"), ErrorCode::conflict, "no answer that could be taken back");
  ASSERT_TRUE(approve(review, "ben"));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(drive.records().output(review.task)->output, draft());
}

TEST_P(Voting, taking_back_one_approval_also_stops_a_decision_that_rests_on_it) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(approve(review, "anna"));
  ASSERT_TRUE(approve_later(review, "ben", 5s));
  EXPECT_EQ(stored(review).status, ReviewStatus::answered);
  ASSERT_TRUE(undo(review, "anna"));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  EXPECT_THAT(fates(review), ElementsAre(withdrawn, counts));
  drive.clock().advance(5s);
  EXPECT_EQ(drive.store().sweep({})->answered, 0);
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(stored(review).status, ReviewStatus::closed) << "ben's approval still counted";
}

TEST_P(Voting, a_rejection_that_is_not_yet_effective_is_taken_back_only_by_who_gave_it) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(approve(review, "anna"));
  ASSERT_TRUE(drive.act(AnswerReview{review.id,
                                     {.outcome = ReviewOutcome::reject,
                                      .reviewer = "ben",
                                      .note = "poor",
                                      .effective_at = drive.clock().now() + 5s}}));
  expect_error(undo(review, "anna"), ErrorCode::refused, "only ben may take back");
  ASSERT_TRUE(undo(review, "ben"));
  EXPECT_THAT(fates(review), ElementsAre(counts, withdrawn));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
}

TEST_P(Voting, an_answer_takes_effect_within_a_minute) {
  const Review review = asked({});
  expect_error(approve_later(review, "anna", 60s + 1us), ErrorCode::invalid,
               "an answer takes effect within a minute");
  EXPECT_THAT(answers(review), IsEmpty());
  ASSERT_TRUE(approve_later(review, "anna", 60s));
  drive.clock().advance(60s - 1us);
  EXPECT_EQ(drive.store().sweep({})->answered, 0);
  drive.clock().advance(1us);
  EXPECT_EQ(drive.store().sweep({})->answered, 1);
  EXPECT_EQ(reviewed_task(review).kind(), StateKind::succeeded);
  expect_error(undo(review, "anna"), ErrorCode::conflict, "no answer that could be taken back");
}

// A limit may end the job between an answer and the time when it takes effect.
TEST_P(Voting, an_answer_that_no_longer_fits_is_voided_and_what_was_proposed_is_shown_as_it_is) {
  const Workflow flow = workflow("w", {ruled({.self_approval = false})});
  NewJob about{.workflow = flow, .tolerate_failures = {.count = 0}, .by = local_user("sam")};
  const JobId job = drive.submit(flow, {"x", "doomed"}, about);
  const std::vector<Claimed> claimed = drive.claim();
  ASSERT_THAT(claimed, SizeIs(2));
  drive.close(claimed[0], succeeded(draft()));
  const Review review = open_review(job);
  ASSERT_TRUE(edit(review, "sam", edited()));
  ASSERT_TRUE(drive.act(AnswerReview{
      review.id, {.reviewer = "cleo", .attempt = 1, .effective_at = drive.clock().now() + 5s}}));
  EXPECT_THAT(fates(review), ElementsAre(voided, counts));
  drive.close(claimed[1], failed("torn", ErrorClass::final));
  EXPECT_EQ(drive.job(job).cancelled, CancelCause::tolerance);
  drive.clock().advance(5s);
  EXPECT_EQ(drive.store().sweep({})->answered, 1);
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  EXPECT_THAT(fates(review), ElementsAre(voided, voided));
  EXPECT_EQ(stored(review).digest, review.digest);
}

TEST_P(Voting, whoever_answers_a_superseded_review_is_told_whether_the_output_is_the_same) {
  const Review review = asked({});
  ASSERT_TRUE(drive.act(Rerun{.task = review.task}));
  drive.work_once(always(succeeded(draft())));
  const Review same = open_review(review.job);
  expect_error(approve(review, "anna"), ErrorCode::conflict,
               "review 1 was superseded: the work has moved on, but its output is the same");
  expect_error(approve(review, "anna"), ErrorCode::conflict,
               "give the same answer to review 2: pawl review approve 2 (digest " + same.digest);
  ASSERT_TRUE(drive.act(AnswerReview{same.id, {.reviewer = "anna", .digest = same.digest}}));

  ASSERT_TRUE(drive.act(Rerun{.task = review.task}));
  drive.work_once(always(succeeded(edited())));
  const Review other = open_review(review.job);
  const Result<Job> answer = approve(review, "anna");
  expect_error(answer, ErrorCode::conflict, "look at what it came to: pawl review show 3");
  EXPECT_THAT(answer.error().text(), testing::Not(HasSubstr("is the same")));
  ASSERT_TRUE(approve(other, "anna"));
}

TEST_P(WhoMayVote, only_people_to_whom_the_review_is_assigned_decide) {
  add("anna");
  add("ben", Role::reviewer, {"editors"});
  add("cleo", Role::admin, {"writers"});
  const Review review = asked({.assign = {"anna", "group:editors"}});
  EXPECT_THAT(review.assigned, ElementsAre("anna", "group:editors"));
  const AnswerReview yes{review.id, {}};
  expect_error(drive.act(yes, person("cleo")), ErrorCode::forbidden,
               "review 1 is not assigned to 'cleo'; it is assigned to anna, group:editors");
  expect_error(drive.act(ClaimReview{review.id, "cleo", drive.clock().now() + 60s}, person("cleo")),
               ErrorCode::forbidden, "review 1 is not assigned to 'cleo'");
  EXPECT_THAT(answers(review), IsEmpty());
  ASSERT_TRUE(drive.act(yes, person("ben")));
  EXPECT_EQ(answers(review)[0].answer.reviewer, "ben") << "the answer is signed by the actor";
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
}

TEST_P(WhoMayVote, a_role_below_reviewer_and_a_limited_token_may_not) {
  add("vera", Role::viewer);
  add("anna", Role::admin);
  const Review review = asked({});
  const AnswerReview yes{review.id, {}};
  expect_error(drive.act(yes, person("vera")), ErrorCode::forbidden,
               "'vera' may not decide reviews as viewer; this needs the role reviewer");
  Actor limited = person("anna");
  limited.at_most = Role::viewer;
  expect_error(drive.act(yes, limited), ErrorCode::forbidden, "'anna' may not decide reviews");
  expect_error(drive.act(yes, person("nobody")), ErrorCode::forbidden,
               "the store does not know this person");
  limited.at_most = Role::reviewer;
  ASSERT_TRUE(drive.act(yes, limited));
}

// I16
TEST_P(WhoMayVote, agents_and_workers_never_decide_whatever_their_role) {
  const Review review = asked({.approvals = 2});
  ASSERT_TRUE(approve(review, "anna"));
  const Timestamp until = drive.clock().now() + 60s;
  Actor engine = agent("rule");
  engine.kind = ActorKind::engine;
  for (const Actor& actor : {agent("claude"), worker_program("w1")}) {
    const std::string& name = actor.name;
    for (const Act& act : std::vector<Act>{
             AnswerReview{review.id, {}},
             AnswerReview{review.id, {.outcome = ReviewOutcome::reject, .note = "poor"}},
             AnswerReview{review.id,
                          {.outcome = ReviewOutcome::request_changes, .note = "shorter"}},
             UndoAnswer{review.id, name}, ClaimReview{review.id, name, until},
             ClaimReview{.review = review.id, .by = name, .until = until, .steal = true},
             ReleaseReview{review.id, name}, AssignReview{review.id, {name}, "", name}}) {
      expect_error(drive.act(act, actor), ErrorCode::forbidden, "'" + name + "' may not");
    }
  }
  expect_error(drive.act(AnswerReview{review.id, {}}, engine), ErrorCode::forbidden,
               "is the engine itself: nobody acts as it");
  EXPECT_THAT(answers(review), SizeIs(1));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
}

TEST_P(WhoMayVote, nobody_answers_in_the_name_of_somebody_else) {
  add("anna");
  const Review review = asked({});
  expect_error(drive.act(AnswerReview{review.id, {.reviewer = "ben"}}, person("anna")),
               ErrorCode::invalid, "'anna' acts in the name of 'ben'");
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {.reviewer = "anna"}}, person("anna")));
}

TEST_P(WhoMayVote, in_a_store_without_people_a_claimed_name_is_believed) {
  const Review review = asked({.approvals = 2});
  Actor claimed{.name = "anna", .method = ActorMethod::claimed};
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {}}, claimed));
  add("ben");
  expect_error(drive.act(UndoAnswer{review.id, "anna"}, claimed), ErrorCode::forbidden,
               "the store does not know this person");
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {}}, local_user("cleo")))
      << "whoever opens the store is trusted";
}

TEST_P(Edits, an_attempt_without_output_can_only_be_approved_with_edits) {
  StageDefinition failing = with_attempts(stage("a"), 2);
  failing.gates = {{.name = "good"}};
  failing.retry.on_exhausted = OnExhausted::escalate;
  const JobId job = drive.submit(workflow("w", {failing}), {"x", "y", "z"});
  drive.work([](const Claimed& claimed) -> Work {
    if (claimed.task.attempts == 2) return {.closed = failed("torn")};
    return {.closed = rejected("poor")};
  });
  const auto reviews = *drive.records().reviews({.job = job, .status = ReviewStatus::open});
  ASSERT_THAT(reviews, SizeIs(3));
  expect_error(approve(reviews[0], "anna"), ErrorCode::invalid,
               "attempt 2 of review 1 has no output that could be approved");
  EXPECT_THAT(answers(reviews[0]), IsEmpty());
  ASSERT_TRUE(drive.act(AnswerReview{reviews[0].id, {.reviewer = "anna", .attempt = 1}}))
      << "the first attempt has an output";
  ASSERT_TRUE(edit(reviews[1], "anna", Json("by hand")));
  EXPECT_EQ(drive.records().output(reviews[1].task)->output, Json("by hand"));
  ASSERT_TRUE(say(reviews[2], ReviewOutcome::reject, "anna"));
}

TEST_P(Edits, that_come_with_an_approval_without_edits_are_refused_and_not_lost) {
  const Review review = asked({.approvals = 3});
  const AnswerReview odd{review.id, {.reviewer = "cleo", .edits = edited()}};
  expect_error(drive.act(odd), ErrorCode::invalid, "an approval without edits carries edits");
  ASSERT_TRUE(approve(review, "anna"));
  expect_error(drive.act(odd), ErrorCode::invalid, "an approval without edits carries edits");
  ASSERT_TRUE(edit(review, "ben", edited_again()));
  expect_error(drive.act(odd), ErrorCode::invalid, "an approval without edits carries edits");
  EXPECT_THAT(fates(review), ElementsAre(voided, counts));
}

TEST_P(Edits, keep_the_kind_of_every_field) {
  StageDefinition editable = ruled({});
  editable.editable = {"title", "pages", "tags", "note"};
  const JobId job = drive.submit(workflow("w", {editable}), {"x"});
  const auto output = [](const Json& title, const Json& pages, const Json& tags, const Json& note) {
    return Json::object({{"title", title}, {"pages", pages}, {"tags", tags}, {"note", note}});
  };
  const Json tags = Json::array({Json("a")});
  drive.work_once(always(succeeded(output("old", 3, tags, Json()))));
  const Review review = open_review(job);
  expect_error(edit(review, "anna", output(4, 3, tags, Json())), ErrorCode::invalid,
               "field \"title\" must be text");
  expect_error(edit(review, "anna", output("old", "3", tags, Json())), ErrorCode::invalid,
               "field \"pages\" must be a whole number");
  expect_error(edit(review, "anna", output("old", true, tags, Json())), ErrorCode::invalid,
               "field \"pages\" must be a whole number");
  expect_error(edit(review, "anna", output("old", 3, Json::object({}), Json())), ErrorCode::invalid,
               "field \"tags\" must be a list");
  EXPECT_THAT(answers(review), IsEmpty());
  const Json good = output("new", 4, Json::array({}), "of any kind: it was empty");
  ASSERT_TRUE(edit(review, "anna", good));
  EXPECT_EQ(drive.records().output(review.task)->output, good);
}

}  // namespace
}  // namespace pawl::driving
