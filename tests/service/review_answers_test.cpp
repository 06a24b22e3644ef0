/// Deciding over the API: digests, votes, repeated presses, claims and people.

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/store/audit.hpp"
#include "service/review_api_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::Script;
using ::testing::SizeIs;
using testing::succeeds;

class ReviewAnswers : public ReviewApiTest {
 protected:
  /// An open review, and the one that took its place when the stage ran again with this output.
  std::pair<Review, Review> superseded_by(const Json& output) {
    const JobId job = draft({"a"}, {}, Script{}.then(succeeds(old_draft())).then(succeeds(output)));
    const Review old = stored(only_review(job));
    EXPECT_TRUE(world_.engine().act(Rerun{.task = old.task}).has_value());
    world_.run();
    return {old, stored(only_review(job))};
  }
  std::vector<AuditEntry> answers_in_audit() {
    return *store().records().audit({.act = "review.answer", .limit = 100});
  }
};

TEST_F(ReviewAnswers, an_approval_decides_and_returns_the_review_as_it_is_then) {
  const JobId job = draft({"a"});
  const ReviewId id = only_review(job);
  const Answer decided = approve(id);
  ASSERT_EQ(decided.status, 200U) << decided.body;
  EXPECT_TRUE(fits_schema(decided.json(), "Review"));
  EXPECT_EQ(text(decided, "status"), "closed");
  EXPECT_EQ(text(decided, "answer.reviewer"), "anna");
  ASSERT_THAT(answers_in_audit(), SizeIs(1));
  EXPECT_EQ(answers_in_audit()[0].actor.name, "anna");
  EXPECT_EQ(answers_in_audit()[0].actor.method, ActorMethod::session);
  EXPECT_EQ(answers_in_audit()[0].actor.address, "127.0.0.1");
  world_.run();
  EXPECT_EQ(world_.state(job, "a", "publish"), StateKind::succeeded)
      << "the engine goes on without a sweep: " << world_.story(job);
}

TEST_F(ReviewAnswers, an_answer_without_a_digest_is_refused) {
  const ReviewId id = only_review(draft({"a"}));
  EXPECT_EQ(post(path_of(id, "answer"), Json::object({{"outcome", "approve"}})).status, 400U);
  EXPECT_EQ(answer(id, "", {{"outcome", "approve"}}).status, 400U);
  EXPECT_EQ(stored(id).status, ReviewStatus::open);
}

TEST_F(ReviewAnswers, everything_that_is_wrong_with_a_body_is_said_at_once) {
  const ReviewId id = only_review(draft({"a"}));
  const Answer wrong = post(path_of(id, "answer"), Json::object({{"outcome", "aprove"},
                                                                 {"digest", 7},
                                                                 {"attempt_number", 0},
                                                                 {"grace_s", 61},
                                                                 {"noet", "x"}}));
  EXPECT_EQ(wrong.status, 400U);
  for (const char* part :
       {"outcome", "digest", "attempt_number", "grace_s", "did you mean 'note'?"}) {
    EXPECT_THAT(message(wrong), HasSubstr(part));
  }
  EXPECT_EQ(answer(id, {{"outcome", "reject"}}).status, 400U) << "a rejection needs a note";
  EXPECT_EQ(answer(id, {{"outcome", "request_changes"}}).status, 400U);
  EXPECT_EQ(answer(id, {{"outcome", "approve_with_edits"}}).status, 400U);
  EXPECT_EQ(answer(id, {{"outcome", "approve"}, {"attempt_number", 2}}).status, 400U);
  EXPECT_EQ(stored(id).status, ReviewStatus::open);
}

TEST_F(ReviewAnswers, a_review_that_shows_other_content_now_is_a_conflict_that_says_so) {
  const auto [old, now] = superseded_by(new_draft());
  const Answer late = answer(old.id, old.digest, {{"outcome", "approve"}});
  EXPECT_EQ(late.status, 409U);
  EXPECT_TRUE(fits_schema(late.json(), "Error"));
  EXPECT_EQ(text(late, "error.code"), "conflict");
  EXPECT_EQ(late.at("changed.review"), std::to_string(now.id.value()));
  EXPECT_EQ(text(late, "changed.digest"), now.digest);
  EXPECT_EQ(late.at("changed.same_content"), "false");
  EXPECT_EQ(stored(now.id).status, ReviewStatus::open) << "nothing was approved";
}

TEST_F(ReviewAnswers, the_same_content_can_be_approved_again_with_the_new_digest) {
  const auto [old, now] = superseded_by(old_draft());
  ASSERT_NE(old.digest, now.digest);
  const Answer late = answer(old.id, old.digest, {{"outcome", "approve"}});
  EXPECT_EQ(late.status, 409U);
  EXPECT_EQ(late.at("changed.same_content"), "true");
  EXPECT_THAT(message(late), HasSubstr("its output is the same"));
  const ReviewId next{JsonView(late.json())["changed"]["review"].integer().value_or(0)};
  EXPECT_EQ(answer(next, text(late, "changed.digest"), {{"outcome", "approve"}}).status, 200U);
  EXPECT_EQ(stored(next).status, ReviewStatus::closed);
}

TEST_F(ReviewAnswers, whoever_did_not_see_the_old_content_is_not_told_that_it_is_the_same) {
  const auto [old, now] = superseded_by(old_draft());
  const Answer late = answer(old.id, "sha256:other", {{"outcome", "approve"}});
  EXPECT_EQ(late.status, 409U);
  EXPECT_EQ(late.at("changed.same_content"), "false");
  EXPECT_EQ(stored(now.id).status, ReviewStatus::open);
}

TEST_F(ReviewAnswers, an_edit_by_somebody_else_changes_what_would_be_approved) {
  const ReviewId id = only_review(draft({"a"}, {.approvals = 2}));
  const std::string shown = stored(id).digest;
  as("ben");
  ASSERT_EQ(answer(id, {{"outcome", "approve_with_edits"}, {"edits", new_draft()}}).status, 200U);
  as("anna");
  const Answer late = answer(id, shown, {{"outcome", "approve"}});
  EXPECT_EQ(late.status, 409U);
  EXPECT_THAT(message(late), HasSubstr("ben changed the output"));
  EXPECT_EQ(text(late, "changed.digest"), stored(id).digest);
  EXPECT_EQ(late.at("changed.same_content"), "false");
  EXPECT_EQ(answer(id, text(late, "changed.digest"), {{"outcome", "approve"}}).status, 200U);
  EXPECT_EQ(stored(id).answer->edits, new_draft());
}

TEST_F(ReviewAnswers, two_people_have_to_approve_the_same_content) {
  const ReviewId id = only_review(draft({"a"}, {.approvals = 2}));
  const Answer first = approve(id);
  ASSERT_EQ(first.status, 200U);
  EXPECT_EQ(text(first, "status"), "open");
  EXPECT_EQ(first.at("approvals.needed"), "2");
  EXPECT_EQ(text(first, "approvals.given[0].by"), "anna");
  as("ben");
  const Answer second = approve(id);
  EXPECT_EQ(text(second, "status"), "closed");
  EXPECT_THAT(elements(field(second.json(), "answers")), SizeIs(2));
}

TEST_F(ReviewAnswers, a_button_pressed_twice_is_one_answer) {
  const ReviewId one = only_review(draft({"a"}));
  const ReviewId two = only_review(draft({"b"}, {.approvals = 2}));
  for (const ReviewId id : {one, two}) {
    const std::string digest = stored(id).digest;
    const Answer first = answer(id, digest, {{"outcome", "approve"}, {"note", "fine"}});
    const Answer again = answer(id, digest, {{"outcome", "approve"}, {"note", "fine"}});
    EXPECT_EQ(first.status, 200U);
    EXPECT_EQ(again.status, 200U) << again.body;
    EXPECT_EQ(again.body, first.body);
    EXPECT_THAT(*store().records().answers(id), SizeIs(1));
    EXPECT_EQ(answer(id, digest, {{"outcome", "approve"}, {"note", "bad"}}).status, 409U)
        << "another note is another answer";
    EXPECT_EQ(answer(id, "sha256:other", {{"outcome", "approve"}, {"note", "fine"}}).status, 409U)
        << "so is an answer to something else";
    EXPECT_EQ(answer(id, digest, {{"outcome", "reject"}, {"note", "fine"}}).status,
              id == one ? 409U : 200U);
  }
}

TEST_F(ReviewAnswers, edits_sent_twice_are_one_answer_whatever_the_order_of_their_fields) {
  const ReviewId id = only_review(draft({"a"}, {.approvals = 2}));
  const std::string digest = stored(id).digest;
  const Json edits = Json::object({{"title", "new"}, {"pages", 4}});
  const Json same = Json::object({{"pages", 4}, {"title", "new"}});
  ASSERT_EQ(answer(id, digest, {{"outcome", "approve_with_edits"}, {"edits", edits}}).status, 200U);
  EXPECT_EQ(answer(id, digest, {{"outcome", "approve_with_edits"}, {"edits", same}}).status, 200U);
  EXPECT_EQ(answer(id, digest, {{"outcome", "approve"}}).status, 409U)
      << "the plain approval was of something else";
  EXPECT_THAT(*store().records().answers(id), SizeIs(1));
  as("ben");
  const std::string now = stored(id).digest;
  EXPECT_EQ(answer(id, now, {{"outcome", "approve"}}).status, 200U);
  EXPECT_EQ(answer(id, now, {{"outcome", "approve"}}).status, 200U)
      << "a plain approval of what was proposed, again";
}

TEST_F(ReviewAnswers, the_same_answer_by_somebody_else_comes_too_late) {
  const ReviewId id = only_review(draft({"a"}));
  const std::string digest = stored(id).digest;
  ASSERT_EQ(answer(id, digest, {{"outcome", "approve"}}).status, 200U);
  as("ben");
  const Answer late = answer(id, digest, {{"outcome", "approve"}});
  EXPECT_EQ(late.status, 409U);
  EXPECT_EQ(text(late, "changed.answered_by"), "anna");
  EXPECT_EQ(text(late, "changed.outcome"), "approve");
  EXPECT_EQ(late.at("changed.digest"), "null");
}

TEST_F(ReviewAnswers, of_many_who_answer_at_once_one_decides) {
  const ReviewId id = only_review(draft({"a"}));
  const Json body = Json::object({{"outcome", "approve"}, {"digest", stored(id).digest}});
  const std::vector<std::string> people{"anna", "ben", "cora", "olga"};
  std::vector<std::future<unsigned>> presses;
  for (int i = 0; i < 12; ++i) {
    presses.push_back(std::async(std::launch::async, [&, name = people[i % 4]] {
      OpenGate gate;
      gate.caller->actor.name = name;
      Router router(backend_, gate, routes(), [](const RequestRecord&) {});
      Request request{.method = "POST",
                      .target = path_of(id, "answer"),
                      .headers = {},
                      .body = body.text(),
                      .peer = "127.0.0.1"};
      request.headers.add("Content-Type", "application/json");
      return router.answer(request).status;
    }));
  }
  int accepted = 0;
  for (auto& press : presses) {
    const unsigned status = press.get();
    accepted += status == 200 ? 1 : 0;
    EXPECT_TRUE(status == 200 || status == 409) << status;
  }
  EXPECT_EQ(accepted, 3) << "the one who decided pressed three times";
  EXPECT_THAT(*store().records().answers(id), SizeIs(1));
}

TEST_F(ReviewAnswers, an_answer_can_be_taken_back_within_its_grace_and_not_later) {
  const JobId job = draft({"a"});
  const ReviewId id = only_review(job);
  const Answer pending = answer(id, {{"outcome", "approve"}, {"grace_s", 5}});
  ASSERT_EQ(pending.status, 200U);
  EXPECT_EQ(text(pending, "status"), "answered");
  world_.pass(4s);
  as("ben");
  EXPECT_EQ(post(path_of(id, "undo")).status, 409U) << "it is not ben's answer";
  as("anna");
  const Answer open = post(path_of(id, "undo"));
  EXPECT_EQ(open.status, 200U);
  EXPECT_EQ(text(open, "status"), "open");
  EXPECT_EQ(text(open, "answers[0].fate"), "withdrawn");
  EXPECT_EQ(post(path_of(id, "undo")).status, 409U);

  ASSERT_EQ(answer(id, {{"outcome", "approve"}, {"grace_s", 5}}).status, 200U)
      << "an answer that was taken back is not on record: it is a new one";
  EXPECT_EQ(stored(id).status, ReviewStatus::answered);
  world_.pass(6s);
  EXPECT_EQ(stored(id).status, ReviewStatus::closed);
  EXPECT_EQ(post(path_of(id, "undo")).status, 409U);
  EXPECT_EQ(world_.state(job, "a", "publish"), StateKind::succeeded);
}

TEST_F(ReviewAnswers, an_answer_in_its_grace_is_not_in_the_inbox) {
  const ReviewId id = only_review(draft({"a"}));
  ASSERT_EQ(answer(id, {{"outcome", "approve"}, {"grace_s", 60}}).status, 200U);
  const Answer inbox = get("/api/v1/reviews");
  EXPECT_EQ(inbox.at("reviews"), "[]");
  EXPECT_EQ(inbox.at("total.count"), "0");
}

TEST_F(ReviewAnswers, a_claim_keeps_others_out_until_it_is_released_or_runs_out) {
  const ReviewId id = only_review(draft({"a"}));
  const Answer claimed = post(path_of(id, "claim"));
  ASSERT_EQ(claimed.status, 200U);
  EXPECT_EQ(text(claimed, "claimed_by"), "anna");
  EXPECT_EQ(stored(id).claimed_until, store().now() + 10min);
  as("ben");
  const Answer refused = approve(id);
  EXPECT_EQ(refused.status, 409U);
  EXPECT_EQ(refused.at("changed"), "") << "the review is as ben saw it";
  EXPECT_EQ(post(path_of(id, "claim")).status, 409U);
  EXPECT_EQ(post(path_of(id, "release")).status, 409U) << "it is not ben's claim";
  world_.pass(10min);
  EXPECT_EQ(post(path_of(id, "claim"), Json::object({{"for_s", 3600}})).status, 200U);
  EXPECT_EQ(post(path_of(id, "claim"), Json::object({{"for_s", 3601}})).status, 400U);
  EXPECT_EQ(post(path_of(id, "release")).status, 200U);
  EXPECT_EQ(stored(id).claimed_by, "");
}

TEST_F(ReviewAnswers, only_an_operator_takes_a_claim_over) {
  const ReviewId id = only_review(draft({"a"}));
  ASSERT_EQ(post(path_of(id, "claim")).status, 200U);
  as("ben");
  const Answer refused = post(path_of(id, "claim"), Json::object({{"steal", true}}));
  EXPECT_EQ(refused.status, 403U);
  EXPECT_EQ(stored(id).claimed_by, "anna");
  as("olga");
  EXPECT_EQ(post(path_of(id, "claim"), Json::object({{"steal", true}})).status, 200U);
  EXPECT_EQ(stored(id).claimed_by, "olga");
}

TEST_F(ReviewAnswers, a_review_is_handed_over_with_a_warning_about_strangers) {
  const ReviewId id = only_review(draft({"a"}, {.assign = {"anna"}}));
  as("ben");
  EXPECT_EQ(approve(id).status, 403U) << "it is assigned to anna";
  EXPECT_EQ(post(path_of(id, "assign"), Json::object({{"to", Json::array({"ben"})}})).status, 403U);
  as("anna");
  const Answer given =
      post(path_of(id, "assign"),
           Json::object({{"to", Json::array({"ben", "nora"})}, {"note", "yours"}}));
  ASSERT_EQ(given.status, 200U) << given.body;
  EXPECT_TRUE(fits_schema(given.json(), "AssignedReview"));
  EXPECT_EQ(given.at("assigned"), R"(["ben","nora"])");
  EXPECT_THAT(given.at("warnings"), HasSubstr("nora"));
  EXPECT_EQ(approve(id).status, 403U) << "it is ben's and nora's now";
  const Json nobody = Json::object({{"to", Json::array({})}});
  as("ben");
  EXPECT_EQ(post(path_of(id, "assign"), nobody).status, 403U)
      << "a reviewer does not give a review to everybody";
  as("olga");
  EXPECT_EQ(post(path_of(id, "assign"), nobody).status, 200U);
  EXPECT_EQ(post(path_of(id, "assign"), Json::object({})).status, 400U);
  EXPECT_EQ(post(path_of(id, "assign"), Json::object({{"to", Json::array({"a b"})}})).status, 400U);
}

TEST_F(ReviewAnswers, an_agent_and_a_viewer_decide_nothing) {
  const ReviewId id = only_review(draft({"a"}));
  add_person("vic", Role::viewer);
  for (const bool is_agent : {true, false}) {
    is_agent ? as_agent("robot") : as("vic");
    EXPECT_EQ(approve(id).status, 403U);
    EXPECT_EQ(post(path_of(id, "claim")).status, 403U);
    EXPECT_EQ(post(path_of(id, "undo")).status, 403U);
    EXPECT_EQ(get("/api/v1/reviews/next").status, 403U);
    EXPECT_EQ(get(path_of(id)).status, 200U);
  }
  EXPECT_EQ(stored(id).status, ReviewStatus::open);
}

TEST_F(ReviewAnswers, the_ledger_refuses_an_agent_even_if_the_door_let_it_in) {
  const ReviewId id = only_review(draft({"a"}));
  as_agent("robot");
  gate_.caller->standing = {.kind = ActorKind::person, .role = Role::admin, .groups = {}};
  EXPECT_EQ(approve(id).status, 403U);
  EXPECT_EQ(post(path_of(id, "claim")).status, 403U);
  EXPECT_EQ(stored(id).status, ReviewStatus::open);
}

TEST_F(ReviewAnswers, changes_run_the_stage_again_with_the_note_as_feedback) {
  const JobId job =
      draft({"a"}, {}, Script{}.then(succeeds(old_draft())).then(succeeds(new_draft())));
  const ReviewId id = only_review(job);
  ASSERT_EQ(answer(id, {{"outcome", "request_changes"}, {"note", "shorter"}}).status, 200U);
  world_.run();
  const ReviewId next = only_review(job);
  EXPECT_NE(next, id);
  EXPECT_EQ(world_.calls("draft").back().feedback->summary, "shorter");
  EXPECT_EQ(get(path_of(next)).at("attempts[1].cause"), "\"review_changes\"");
}

}  // namespace
}  // namespace pawl::service
