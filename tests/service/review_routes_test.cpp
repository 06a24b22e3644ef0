/// The inbox and single reviews as pages read them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/review_api_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReviewRoutes : public ReviewApiTest {
 protected:
  static std::vector<std::string> items_in(const Answer& answer) {
    return column(answer, "reviews", "item");
  }
};

TEST_F(ReviewRoutes, the_inbox_shows_what_is_due_first_and_why_it_is_there) {
  draft({"late"}, {.due = 48h});
  draft({"soon"}, {.due = 2h});
  draft({"never"});
  const Answer inbox = get("/api/v1/reviews");
  ASSERT_EQ(inbox.status, 200U) << inbox.body;
  EXPECT_THAT(items_in(inbox), ElementsAre("\"soon\"", "\"late\"", "\"never\""));
  EXPECT_EQ(inbox.at("total"), R"({"count":3,"is_more":false})");
  const Json document = inbox.json();
  for (const Json& row : elements(field(document, "reviews"))) {
    EXPECT_TRUE(fits_schema(row, "ReviewRow"));
    EXPECT_EQ(field(row, "why").string(), "every output of this stage is reviewed");
    EXPECT_EQ(field(row, "workflow").string(), "letters");
    EXPECT_EQ(field(row, "attempt_count").integer(), 1);
  }
}

TEST_F(ReviewRoutes, mine_are_those_of_me_my_groups_and_nobody) {
  draft({"anna"}, {.assign = {"anna"}});
  draft({"group"}, {.assign = {"group:editors", "ben"}});
  draft({"ben"}, {.assign = {"ben"}});
  draft({"open"});
  EXPECT_THAT(items_in(get("/api/v1/reviews?assigned_to=me")),
              ElementsAre("\"anna\"", "\"group\"", "\"open\""));
  EXPECT_THAT(items_in(get("/api/v1/reviews?assigned_to=me&open_to_all=false")),
              ElementsAre("\"anna\"", "\"group\""));
  EXPECT_THAT(items_in(get("/api/v1/reviews?assigned_to=ben,group:none")),
              ElementsAre("\"group\"", "\"ben\""));
  const Answer nobody = get("/api/v1/reviews?assigned_to=,");
  EXPECT_EQ(nobody.status, 400U);
  EXPECT_THAT(message(nobody), HasSubstr("names nobody"));
}

TEST_F(ReviewRoutes, filters_select_by_claim_time_stage_workflow_and_reason) {
  const JobId job = draft({"a", "b", "c"}, {.due = 1h});
  ASSERT_EQ(post(path_of(reviews_of(job)[0], "claim")).status, 200U);
  EXPECT_THAT(items_in(get("/api/v1/reviews?claimed_by=me")), ElementsAre("\"a\""));
  EXPECT_THAT(items_in(get("/api/v1/reviews?claimed_by=ben")), IsEmpty());
  EXPECT_THAT(items_in(get("/api/v1/reviews?unclaimed=true")), ElementsAre("\"b\"", "\"c\""));
  EXPECT_THAT(items_in(get("/api/v1/reviews?overdue=true")), IsEmpty());
  world_.pass(61min);
  EXPECT_THAT(items_in(get("/api/v1/reviews?overdue=true")), SizeIs(3));
  EXPECT_THAT(items_in(get("/api/v1/reviews?claimed_by=me")), IsEmpty()) << "the claim has run out";
  EXPECT_THAT(items_in(get("/api/v1/reviews?stage=draft&workflow=letters&reason=policy")),
              SizeIs(3));
  EXPECT_THAT(items_in(get("/api/v1/reviews?stage=publish")), IsEmpty());
  EXPECT_THAT(items_in(get("/api/v1/reviews?reason=uncertain")), IsEmpty());
  EXPECT_EQ(get("/api/v1/reviews?stage=draft").at("total"), "null")
      << "the store cannot count by stage";
  EXPECT_EQ(get("/api/v1/reviews?job=99").status, 404U);
}

TEST_F(ReviewRoutes, everything_that_is_wrong_with_a_query_is_said_at_once) {
  const Answer wrong = get("/api/v1/reviews?status=done&overdue=maybe&jobb=3&reason=&limit=0");
  EXPECT_EQ(wrong.status, 400U);
  for (const char* part : {"status", "overdue", "did you mean 'job'?", "reason", "limit"}) {
    EXPECT_THAT(message(wrong), HasSubstr(part));
  }
  const Answer closed = get("/api/v1/reviews?status=closed&overdue=true&unclaimed=true");
  EXPECT_EQ(closed.status, 400U);
  EXPECT_THAT(message(closed), HasSubstr("unclaimed, overdue"));
}

TEST_F(ReviewRoutes, a_cursor_of_another_list_is_refused) {
  for (const char* cursor :
       {"x", "12", "1-", "-1", "1-0", "1-2-3", "99999999999999999999-1", "1%00-2", "-5-2"}) {
    EXPECT_EQ(get("/api/v1/reviews?after=" + std::string(cursor)).status, 400U) << cursor;
  }
  EXPECT_EQ(get("/api/v1/reviews?status=all&after=1-2").status, 400U);
}

TEST_F(ReviewRoutes, pages_of_an_inbox_that_is_worked_on_neither_double_nor_lose_a_review) {
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("k" + std::to_string(i));
  draft(keys, {.due = 5h});
  draft(keys);
  std::vector<std::string> seen;
  std::string after;
  for (int page = 0; page < 100; ++page) {
    const Answer rows = get("/api/v1/reviews?limit=7" + after);
    ASSERT_EQ(rows.status, 200U) << rows.body;
    const std::vector<std::string> numbers = column(rows, "reviews", "review");
    seen.insert(seen.end(), numbers.begin(), numbers.end());
    // The cursor is the last of these.
    for (const std::string& number : {numbers.front(), numbers.back()}) {
      EXPECT_EQ(approve(ReviewId{std::stoll(number)}).status, 200U);
    }
    const std::string next = rows.at("next");
    if (next == "null") break;
    after = "&after=" + next.substr(1, next.size() - 2);
  }
  EXPECT_THAT(seen, SizeIs(80));
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << "a review was shown twice";
}

TEST_F(ReviewRoutes, reviews_of_a_cancelled_job_are_neither_listed_nor_counted) {
  const JobId job = draft({"a", "b"});
  draft({"c"});
  ASSERT_TRUE(world_.engine().cancel(job).has_value());
  const Answer inbox = get("/api/v1/reviews");
  EXPECT_THAT(items_in(inbox), ElementsAre("\"c\""));
  EXPECT_EQ(inbox.at("total.count"), "1");
}

TEST_F(ReviewRoutes, answered_reviews_show_who_said_what) {
  const JobId job = draft({"a", "b"});
  const ReviewId first = reviews_of(job)[0];
  ASSERT_EQ(answer(first, {{"outcome", "reject"}, {"note", "=cmd()|x"}}).status, 200U);
  const Answer answered = get("/api/v1/reviews?status=answered");
  EXPECT_THAT(items_in(answered), ElementsAre("\"a\""));
  EXPECT_EQ(answered.at("total"), "null");
  EXPECT_THAT(items_in(get("/api/v1/reviews?status=all")), SizeIs(2));
  EXPECT_THAT(items_in(get("/api/v1/reviews?status=superseded")), IsEmpty());
  const Answer csv = get("/api/v1/reviews?status=answered", {{"Accept", "text/csv"}});
  EXPECT_THAT(csv.body, HasSubstr("reject,anna,"));
  const Answer lines = get("/api/v1/reviews?status=all", {{"Accept", "application/jsonl"}});
  EXPECT_EQ(std::ranges::count(lines.body, '\n'), 2);
}

TEST_F(ReviewRoutes, a_review_has_what_a_person_needs_to_decide) {
  const ReviewId id = only_review(draft({"a"}, {.reasons = {"tables"}}));
  const Answer shown = get(path_of(id));
  ASSERT_EQ(shown.status, 200U);
  EXPECT_TRUE(fits_schema(shown.json(), "Review"));
  EXPECT_EQ(shown.at("output"), old_draft().text());
  EXPECT_EQ(text(shown, "digest"), stored(id).digest);
  EXPECT_EQ(shown.at("reasons"), R"(["tables"])");
  EXPECT_EQ(shown.at("data"), "\"a\"");
  EXPECT_EQ(shown.at("attempts[0].output"), old_draft().text());
  EXPECT_EQ(get("/api/v1/reviews/999").status, 404U);
  EXPECT_EQ(get("/api/v1/reviews/0x1").status, 404U);
}

TEST_F(ReviewRoutes, looking_at_a_review_changes_nothing) {
  const ReviewId id = only_review(draft({"a"}));
  const Review before = stored(id);
  const std::uint64_t mark = store().change_mark();
  for (const char* what : {"", "diff", "attempts/1/output"}) (void)get(path_of(id, what));
  (void)get("/api/v1/reviews/next");
  EXPECT_EQ(stored(id), before);
  EXPECT_EQ(store().change_mark(), mark);
  for (const char* act : {"claim", "answer", "undo", "release", "assign", "check"}) {
    EXPECT_EQ(get(path_of(id, act)).status, 405U) << act;
  }
}

TEST_F(ReviewRoutes, the_next_review_is_the_first_that_nobody_else_has_claimed) {
  const JobId job = draft({"a", "b", "c"});
  const std::vector<ReviewId> ids = reviews_of(job);
  as("ben");
  ASSERT_EQ(post(path_of(ids[0], "claim")).status, 200U);
  as("anna");
  const Answer next = get("/api/v1/reviews/next");
  ASSERT_EQ(next.status, 200U);
  EXPECT_TRUE(fits_schema(next.json(), "NextReview"));
  EXPECT_EQ(next.at("review.item"), "\"b\"");
  EXPECT_EQ(next.at("waiting.count"), "2");
  const std::string last = std::to_string(ids[1].value());
  EXPECT_EQ(get("/api/v1/reviews/next?after=" + last).at("review.item"), "\"c\"");
  const std::string end = std::to_string(ids[2].value());
  EXPECT_EQ(get("/api/v1/reviews/next?after=" + end).at("review"), "null");
  EXPECT_EQ(get("/api/v1/reviews/next?job=77").at("waiting.count"), "0");
}

TEST_F(ReviewRoutes, somebody_who_has_approved_is_not_asked_again) {
  const ReviewId id = only_review(draft({"a"}, {.approvals = 2}));
  ASSERT_EQ(approve(id).status, 200U);
  EXPECT_EQ(get("/api/v1/reviews/next").at("review"), "null");
  as("ben");
  EXPECT_EQ(get("/api/v1/reviews/next").at("review.review"), std::to_string(id.value()));
}

TEST_F(ReviewRoutes, attempts_and_edits_are_compared_line_by_line) {
  using testing::succeeds;
  const JobId job =
      draft({"a"}, {.approvals = 2},
            testing::Script{}.then(succeeds(old_draft())).then(succeeds(new_draft())));
  const ReviewId first = only_review(job);
  EXPECT_EQ(get(path_of(first, "diff")).status, 409U) << "there is only one output";
  ASSERT_TRUE(world_.engine().act(Rerun{.task = stored(first).task}).has_value());
  world_.run();
  const ReviewId id = only_review(job);
  const Answer diff = get(path_of(id, "diff"));
  ASSERT_EQ(diff.status, 200U) << diff.body;
  EXPECT_TRUE(fits_schema(diff.json(), "ReviewDiff"));
  EXPECT_EQ(text(diff, "diff"), "-title: \"old\"\n+title: \"new\"\n pages: 3\n");
  EXPECT_EQ(get(path_of(id, "diff?from=2&to=2")).at("same"), "true");
  EXPECT_EQ(get(path_of(id, "diff?from=1&to=7")).status, 404U);
  EXPECT_EQ(get(path_of(id, "diff?from=0")).status, 400U);
  EXPECT_EQ(get(path_of(id, "diff?edits=true")).status, 409U) << "nobody has edited it";
  ASSERT_EQ(answer(id, {{"outcome", "approve_with_edits"},
                        {"edits", Json::object({{"title", "best"}, {"pages", 3}})}})
                .status,
            200U);
  EXPECT_EQ(text(get(path_of(id, "diff?edits=true")), "diff"),
            "-title: \"new\"\n+title: \"best\"\n pages: 3\n");
  EXPECT_EQ(get(path_of(id, "diff?edits=true&from=1")).status, 400U);
  EXPECT_EQ(get(path_of(id, "attempts/1/output")).at("output"), old_draft().text());
  EXPECT_EQ(get(path_of(id, "attempts/9/output")).status, 404U);
  EXPECT_EQ(get(path_of(id, "attempts/4294967297/output")).status, 404U);
}

TEST_F(ReviewRoutes, hostile_text_stays_text) {
  const Json hostile =
      Json::object({{"title", "</script><script>alert(1)</script>\u202e\x1b[2J"}, {"pages", 1}});
  const JobId job = draft({"<b>\"\n,='"}, {}, testing::Script{}.then(testing::succeeds(hostile)));
  const Answer shown = get(path_of(only_review(job)));
  EXPECT_EQ(shown.at("output"), hostile.text());
  EXPECT_EQ(shown.headers.find("X-Content-Type-Options"), "nosniff");
  const Answer csv = get("/api/v1/reviews", {{"Accept", "text/csv"}});
  EXPECT_THAT(csv.body, HasSubstr("\"<b>\"\"\n,='\""));
}

}  // namespace
}  // namespace pawl::service
