/// What several people have to have seen, and whose work it may be.

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/store/results.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

using FourEyes = PeopleContract;
using LargeOutputs = PeopleContract;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, FourEyes, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, LargeOutputs, kinds, name_of_kind);

TEST_P(FourEyes, an_editor_who_takes_the_edits_back_stays_the_editor) {
  const Review review = asked({.approvals = 2, .self_approval = false}, "sam");
  ASSERT_TRUE(edit(review, "anna", edited()));
  ASSERT_TRUE(approve(review, "sam"));
  EXPECT_EQ(stored(review).status, ReviewStatus::open) << "the editor and the submitter";
  ASSERT_TRUE(undo(review, "anna"));
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(stored(review).status, ReviewStatus::open) << "they are still the same two";
  ASSERT_TRUE(approve(review, "cleo"));
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
}

TEST_P(FourEyes, two_editors_do_not_approve_each_others_work) {
  const Review review = asked({.self_approval = false}, "sam");
  ASSERT_TRUE(edit(review, "anna", edited()));
  ASSERT_TRUE(edit(review, "ben", edited_again())) << "which builds on what anna wrote";
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  ASSERT_TRUE(undo(review, "ben"));
  ASSERT_TRUE(edit(review, "sam", edited_again()));
  EXPECT_EQ(stored(review).status, ReviewStatus::open) << "sam gave what ben had written";
  ASSERT_TRUE(approve(review, "cleo"));
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
  drive.expect_sound();
}

TEST_P(FourEyes, an_approval_of_another_attempt_is_other_content_for_everybody_else) {
  StageDefinition drafted = with_attempts(ruled({.approvals = 2}), 2);
  drafted.gates = {{.name = "good"}};
  drafted.retry.on_exhausted = OnExhausted::escalate;
  const JobId job = drive.submit(workflow("w", {drafted}), {"x"});
  drive.work([](const Claimed& claimed) -> Work {
    Attempt closed = rejected("poor");
    closed.output = Json(static_cast<int>(claimed.task.attempts));
    return {.closed = closed};
  });
  const Review review = open_review(job);
  const std::string seen = review.digest;
  const auto approve_what_was_seen = [&](const std::string& who, const std::string& digest) {
    return drive.act(AnswerReview{review.id, {.reviewer = who, .digest = digest}});
  };
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {.reviewer = "anna", .attempt = 1}}));
  EXPECT_NE(stored(review).digest, seen);
  expect_error(approve_what_was_seen("ben", seen), ErrorCode::conflict,
               "is about other content than was shown");
  drive.expect_sound();

  ASSERT_TRUE(undo(review, "anna"));
  EXPECT_EQ(stored(review).digest, seen);
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {.reviewer = "anna", .attempt = 1}}));
  ASSERT_TRUE(approve_what_was_seen("ben", stored(review).digest));
  EXPECT_EQ(drive.records().output(review.task)->output, Json(1));
  drive.expect_sound();
}

TEST_P(FourEyes, a_reviewer_hands_over_neither_what_a_colleague_has_claimed_nor_to_everybody) {
  add("anna", Role::reviewer, {"editors"});
  add("ben", Role::reviewer, {"editors"});
  add("olga", Role::operate);
  const Review review = asked({.assign = {"group:editors"}});
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "anna", drive.clock().now() + 30min}));
  const AssignReview to_ben{review.id, {"ben"}, "", {}};
  expect_error(drive.act(to_ben, person("ben")), ErrorCode::conflict, "is claimed by anna");
  expect_error(drive.act(AssignReview{review.id, {}, "", {}}, person("anna")), ErrorCode::forbidden,
               "may not give reviews to others");
  EXPECT_THAT(stored(review).assigned, ElementsAre("group:editors"));
  EXPECT_EQ(stored(review).claimed_by, "anna");

  drive.clock().advance(31min);
  EXPECT_TRUE(drive.act(to_ben, person("ben"))) << "the claim has run out";
  EXPECT_TRUE(drive.act(AssignReview{review.id, {}, "", {}}, person("olga")));
}

TEST_P(FourEyes, what_due_times_do_is_in_the_trail_in_unbroken_steps) {
  const Review review = asked({.assign = {"anna"},
                               .approvals = 1,
                               .due = 4h,
                               .overdue = OnOverdue::escalate,
                               .escalate_to = {"group:leads"}});
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "anna", drive.clock().now() + 1h}));
  drive.clock().advance(4h);
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  ASSERT_TRUE(say(review, ReviewOutcome::reject, "anna"));
  std::vector<AuditEntry> about;
  for (const AuditEntry& entry : trail()) {
    if (entry.target == "review 1") about.push_back(entry);
  }
  ASSERT_THAT(about, SizeIs(3));
  EXPECT_EQ(about[1].act, "review.escalate");
  EXPECT_EQ(about[1].actor.kind, ActorKind::engine);
  EXPECT_EQ(about[1].details, "to anna, group:leads");
  for (std::size_t i = 1; i < about.size(); ++i) {
    EXPECT_EQ(about[i].before, about[i - 1].after) << about[i].act;
  }
}

TEST_P(FourEyes, a_rejection_by_time_begins_where_the_entry_before_it_ended) {
  const Review review = asked({.approvals = 2, .due = 1h, .overdue = OnOverdue::reject});
  ASSERT_TRUE(approve(review, "anna"));
  drive.clock().advance(1h);
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  const std::vector<AuditEntry> entries = trail();
  ASSERT_GE(entries.size(), 2U);
  const AuditEntry& rejection = entries.back();
  EXPECT_EQ(rejection.actor.name, "overdue");
  EXPECT_EQ(rejection.before, entries[entries.size() - 2].after);
  EXPECT_EQ(rejection.reason, "review 1 was not decided by its due time");
  EXPECT_EQ(stored(review).status, ReviewStatus::closed);
}

/// The ledger does not read the bytes of a payload: the store checks the edits before it.
TEST_P(LargeOutputs, are_edited_under_the_same_rules_as_small_ones) {
  StageDefinition drafted = ruled({});
  drafted.editable = {"title"};
  const JobId job = drive.submit(workflow("w", {drafted}), {"x"});
  const std::string body(100'000, 'x');
  const Json output = Json::object({{"title", "old"}, {"body", body}});
  const std::string text = output.text();
  const std::string sha256 = *drive.store().keep_payload(text);
  ASSERT_EQ(drive.work_once(always(succeeded(payload_reference(sha256, text.size())))), 1);
  const Review review = open_review(job);
  expect_error(edit(review, "anna", Json::object({{"title", "new"}, {"body", "short"}})),
               ErrorCode::invalid, "body");
  expect_error(edit(review, "anna", Json::object({{"title", 7}, {"body", body}})),
               ErrorCode::invalid, "title");
  EXPECT_EQ(stored(review).status, ReviewStatus::open);
  EXPECT_TRUE(edit(review, "anna", Json::object({{"title", "new"}, {"body", body}})));
}

}  // namespace
}  // namespace pawl::driving
