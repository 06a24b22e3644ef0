/// Events as a list and as a stream.

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_test.hpp"
#include "fits_schema.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::items;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class EventRoutes : public ApiTest {
 protected:
  JobId run_job(std::initializer_list<std::string> keys) {
    const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
    WorkflowBuilder build("letters");
    build.stage("write", succeed);
    build.human_stage("check").needs("write");
    const JobId job = world_.submit(testing::built(build), items(keys));
    world_.finish(job);
    return job;
  }
  static std::vector<Json> rows(const Answer& answer) {
    const Json document = answer.json();
    return elements(field(document, "events"));
  }
  static std::vector<std::string> texts(const Answer& answer, std::string_view name) {
    std::vector<std::string> all;
    for (const Json& row : rows(answer)) all.push_back(field(row, name).string().value_or("null"));
    return all;
  }
  std::vector<EventSeq> on_record(JobId job = {}) {
    std::vector<EventSeq> all;
    const auto events = store().records().events({.job = job, .limit = 100'000});
    for (const Event& event : *events) {
      all.push_back(event.seq);
    }
    return all;
  }
  static std::vector<EventSeq> numbers(const Answer& answer) {
    std::vector<EventSeq> all;
    for (const Json& row : rows(answer)) all.push_back(*field(row, "seq").integer());
    return all;
  }
  /// The numbers of a stream.
  static std::vector<std::string> ids(const std::string& stream) {
    std::vector<std::string> all;
    std::istringstream lines(stream);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("id: ")) all.push_back(line.substr(4));
    }
    return all;
  }
};

TEST_F(EventRoutes, the_documents_are_those_that_pawl_events_prints) {
  const JobId job = run_job({"a"});
  const Answer answer = get("/api/v1/events?job=" + std::to_string(job.value()));
  ASSERT_EQ(answer.status, 200U) << answer.body;
  for (const Json& row : rows(answer)) EXPECT_TRUE(fits_schema(row, "Event"));
  const Event first = store().records().events({.limit = 1})->front();
  EXPECT_EQ(rows(answer).front(), event_document(first, {}, {}));
  EXPECT_THAT(texts(answer, "item"), Contains("a"));
  EXPECT_THAT(texts(answer, "stage"), Contains("write"));
}

TEST_F(EventRoutes, a_list_may_be_narrowed_to_a_job_an_item_and_types) {
  run_job({"x"});
  const JobId job = run_job({"a", "b"});
  const std::string of_job = "/api/v1/events?job=" + std::to_string(job.value());
  EXPECT_EQ(numbers(get(of_job)), on_record(job));
  const Item item = *store().records().item(job, "b");
  const Answer of_item = get("/api/v1/events?item=" + std::to_string(item.id.value()));
  EXPECT_THAT(texts(of_item, "item"), AllOf(Not(IsEmpty()), Each("b")));
  const Answer of_types = get(of_job + "&type=review.*,job.submitted");
  EXPECT_THAT(texts(of_types, "type"),
              ElementsAre("job.submitted", "review.requested", "review.requested"));
}

TEST_F(EventRoutes, a_list_may_begin_at_a_time) {
  run_job({"old"});
  world_.pass(2h);
  run_job({"new"});
  const Answer recent = get("/api/v1/events?since=15m");
  EXPECT_THAT(texts(recent, "item"), AllOf(Contains("new"), Not(Contains("old"))));
  const Answer since = get("/api/v1/events?since=2023-11-14T22:13:20Z");
  EXPECT_THAT(texts(since, "item"), AllOf(Contains("new"), Contains("old")));
}

TEST_F(EventRoutes, what_does_not_exist_is_404_and_what_is_malformed_is_400) {
  const JobId job = run_job({"a"});
  const JobId other = run_job({"b"});
  const Item item = *store().records().item(job, "a");
  EXPECT_EQ(get("/api/v1/events?job=99").status, 404U);
  EXPECT_EQ(get("/api/v1/events?item=99").status, 404U);
  EXPECT_EQ(get("/api/v1/events?job=" + std::to_string(other.value()) +
                "&item=" + std::to_string(item.id.value()))
                .status,
            404U);
  EXPECT_EQ(get("/api/v1/events/stream?job=99").status, 404U);
  for (const char* query : {"type=review.requestd", "type=no*such", "since=yesterday", "since=-1m",
                            "since=9999999999d", "after=x", "after=-1", "job=0", "job=x"}) {
    EXPECT_EQ(get(std::string("/api/v1/events?") + query).status, 400U) << query;
  }
  EXPECT_THAT(get("/api/v1/events?type=review.requestd").body,
              HasSubstr("did you mean 'review.requested'?"));
}

TEST_F(EventRoutes, paging_brings_each_event_once_with_every_filter_and_limit) {
  for (int i = 0; i < 20; ++i) run_job({"a", "b"});
  for (const std::string filter : {"", "&type=job.*", "&job=7"}) {
    for (const int limit : {1, 3, 100}) {
      std::vector<EventSeq> paged;
      std::string after;
      for (int pages = 0; pages < 2'000; ++pages) {
        const Answer answer = get("/api/v1/events?limit=" + std::to_string(limit) + filter + after);
        std::ranges::copy(numbers(answer), std::back_inserter(paged));
        const Json document = answer.json();
        const auto next = field(document, "next").string();
        if (!next) break;
        after = "&after=" + *next;
      }
      const std::vector<EventSeq> all = numbers(get("/api/v1/events?limit=1000" + filter));
      EXPECT_EQ(paged, all) << filter << " " << limit;
    }
  }
}

TEST_F(EventRoutes, json_lines_are_those_of_pawl_events_jsonl_and_csv_has_one_line_each) {
  run_job({"a", "=1+1"});
  const Answer lines = get("/api/v1/events", {{"Accept", "application/jsonl"}});
  EXPECT_EQ(std::ranges::count(lines.body, '\n'), std::ssize(on_record()));
  const Answer csv = get("/api/v1/events", {{"Accept", "text/csv"}});
  EXPECT_THAT(csv.body, StartsWith("seq,at,type,job,item,stage,child,attempt_number,data\n"));
  EXPECT_EQ(std::ranges::count(csv.body, '\n'), std::ssize(on_record()) + 1);
  EXPECT_THAT(csv.body, HasSubstr(",'=1+1,"));
}

TEST_F(EventRoutes, a_stream_says_what_it_is_and_that_nobody_may_hold_it_back) {
  const Answer answer = get("/api/v1/events/stream");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.headers.find("Content-Type"), "text/event-stream; charset=utf-8");
  EXPECT_EQ(answer.headers.find("Cache-Control"), "no-store");
  EXPECT_EQ(answer.headers.find("X-Accel-Buffering"), "no");
  EXPECT_EQ(answer.body, "retry: 1000\n\n");
}

TEST_F(EventRoutes, a_stream_begins_after_the_cursor_and_the_header_wins) {
  run_job({"a"});
  const std::vector<EventSeq> all = on_record();
  const std::string early = std::to_string(all[1]);
  const std::string late = std::to_string(all[all.size() - 2]);
  const std::string last = std::to_string(all.back());
  EXPECT_THAT(ids(get("/api/v1/events/stream?after=" + early).body), SizeIs(all.size() - 2));
  EXPECT_THAT(ids(get("/api/v1/events/stream?after=0").body), SizeIs(all.size()));
  EXPECT_THAT(ids(get("/api/v1/events/stream?after=" + early, {{"Last-Event-ID", late}}).body),
              ElementsAre(last));
  EXPECT_THAT(ids(get("/api/v1/events/stream", {{"Last-Event-ID", "0"}}).body), SizeIs(all.size()));
}

TEST_F(EventRoutes,
       a_header_that_is_no_number_of_ours_is_reset_because_browsers_cannot_be_refused) {
  run_job({"a"});
  for (const char* id : {"x", "-1", "99999999999999999999", "7; drop", "1 2"}) {
    const Answer answer = get("/api/v1/events/stream", {{"Last-Event-ID", id}});
    EXPECT_EQ(answer.status, 200U) << id;
    EXPECT_THAT(answer.body, HasSubstr("event: reset\n")) << id;
  }
  EXPECT_EQ(get("/api/v1/events/stream?after=-1").status, 400U);
}

TEST_F(EventRoutes, a_stream_may_be_narrowed_to_a_job_and_types) {
  run_job({"x"});
  const JobId job = run_job({"a"});
  const Answer answer =
      get("/api/v1/events/stream?after=0&type=review.*&job=" + std::to_string(job.value()));
  EXPECT_THAT(ids(answer.body), SizeIs(1));
  EXPECT_THAT(answer.body, HasSubstr("event: review.requested\n"));
}

TEST_F(EventRoutes, only_who_may_see_may_follow) {
  sign_out();
  EXPECT_EQ(get("/api/v1/events").status, 401U);
  EXPECT_EQ(get("/api/v1/events/stream").status, 401U);
  sign_in_as("vera", Role::viewer);
  EXPECT_EQ(get("/api/v1/events").status, 200U);
  EXPECT_EQ(get("/api/v1/events/stream").status, 200U);
}

}  // namespace
}  // namespace pawl::service
