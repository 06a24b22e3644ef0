#include <gmock/gmock.h>

#include "pawl/store/audit.hpp"
#include "pawl/store/people.hpp"
#include "service/api_test.hpp"

namespace pawl::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class AuditRoutes : public ApiTest {
 protected:
  /// Entries of `by`: people who are added.
  void add_people(int count, const std::string& by = "root") {
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(store().people().change(
          AddPerson{.name = "p" + std::to_string(++people_), .groups = {}}, {.name = by}));
    }
  }
  JobId submitted(const std::string& by = "anna") {
    WorkflowBuilder flow("flow");
    flow.stage("only", [](Context&, std::stop_token) -> Outcome { return Output{}; });
    return world_.submit(testing::built(flow), testing::items({"a"}), {.by = {.name = by}});
  }
  static std::vector<std::string> numbers_in(const Answer& page) {
    std::vector<std::string> numbers;
    for (const Json& row : elements(field(page.json(), "entries"))) {
      numbers.emplace_back(field(row, "number").text());
    }
    return numbers;
  }
  /// The numbers of all pages of a list.
  std::vector<std::string> pages_of(const std::string& query) {
    std::vector<std::string> all;
    std::string after;
    for (int pages = 0; pages < 100; ++pages) {
      const Answer page = get("/api/v1/audit?" + query + after);
      EXPECT_EQ(page.status, 200U) << page.body;
      for (std::string& number : numbers_in(page)) all.push_back(std::move(number));
      if (page.at("next") == "null") return all;
      after = "&after=" + field(page.json(), "next").string().value();
    }
    ADD_FAILURE() << "the list does not end";
    return all;
  }

  int people_ = 0;
};

TEST_F(AuditRoutes, an_entry_has_everything_that_the_command_line_shows) {
  add_people(1);
  EXPECT_THAT(
      get("/api/v1/audit").at("entries[0]"),
      StartsWith(
          "{\"number\":1,\"at\":\"2023-11-14T22:13:20Z\",\"by\":\"root\","
          "\"kind\":\"person\",\"method\":\"local\",\"address\":null,\"act\":\"person.add\","
          "\"job\":null,\"target\":\"person p1\",\"details\":\"role reviewer, groups: none\","
          "\"reason\":null,\"before\":null,\"after\":null,\"origin\":null,\"digest\":\""));
}

TEST_F(AuditRoutes, an_empty_trail_has_no_entries_in_either_order) {
  EXPECT_THAT(pages_of(""), IsEmpty());
  EXPECT_THAT(pages_of("order=newest"), IsEmpty());
}

TEST_F(AuditRoutes, a_list_is_paged_in_either_order_and_shows_each_entry_once) {
  add_people(7);
  const std::vector<std::string> ascending{"1", "2", "3", "4", "5", "6", "7"};
  const std::vector<std::string> descending{ascending.rbegin(), ascending.rend()};
  for (int limit = 1; limit <= 8; ++limit) {
    const std::string page = "limit=" + std::to_string(limit);
    EXPECT_EQ(pages_of(page), ascending) << limit;
    EXPECT_EQ(pages_of(page + "&order=newest"), descending) << limit;
  }
  EXPECT_EQ(get("/api/v1/audit?limit=7").at("next"), "null") << "no empty page at the end";
  EXPECT_EQ(get("/api/v1/audit?limit=7&order=newest").at("next"), "null");
}

TEST_F(AuditRoutes, a_list_that_grows_while_it_is_read_from_the_newest_doubles_nothing) {
  add_people(4);
  const Answer first = get("/api/v1/audit?limit=2&order=newest");
  add_people(3);
  EXPECT_THAT(numbers_in(first), ElementsAre("4", "3"));
  EXPECT_THAT(pages_of("order=newest&after=" + field(first.json(), "next").string().value()),
              ElementsAre("2", "1"));
}

TEST_F(AuditRoutes, the_filters_choose_the_same_entries_in_either_order) {
  add_people(2, "ann");
  const JobId job = submitted("ben");
  add_people(1, "ann");
  const std::string about_job = "job=" + std::to_string(job.value());
  EXPECT_THAT(pages_of("limit=1&actor=ann"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(pages_of("limit=1&actor=ann&order=newest"), ElementsAre("4", "2", "1"));
  EXPECT_THAT(pages_of("act=job.submit"), ElementsAre("3"));
  EXPECT_THAT(pages_of("act=job.submit&order=newest"), ElementsAre("3"));
  EXPECT_THAT(pages_of(about_job), ElementsAre("3"));
  EXPECT_THAT(pages_of(about_job + "&order=newest"), ElementsAre("3"));
  EXPECT_THAT(pages_of(about_job + "&actor=ann"), IsEmpty());
  EXPECT_THAT(pages_of(about_job + "&actor=ann&order=newest"), IsEmpty());
}

TEST_F(AuditRoutes, a_rare_entry_is_found_behind_many_others) {
  const JobId job = submitted();
  add_people(1'200);
  EXPECT_THAT(pages_of("order=newest&job=" + std::to_string(job.value())), ElementsAre("1"));
}

TEST_F(AuditRoutes, wrong_filters_and_cursors_are_refused) {
  add_people(1);
  EXPECT_EQ(get("/api/v1/audit?job=77").status, 404U);
  for (const char* const query :
       {"job=0", "job=x", "order=up", "after=x", "after=0", "after=-1",
        "after=1&order=newest&after=1", "order=newest&after=1x", "last=3", "act=a&act=b"}) {
    EXPECT_EQ(get("/api/v1/audit?" + std::string(query)).status, 400U) << query;
  }
  EXPECT_THAT(pages_of("after=9223372036854775807"), IsEmpty());
  EXPECT_THAT(pages_of("order=newest&after=9223372036854775807"), ElementsAre("1"));
}

TEST_F(AuditRoutes, the_whole_trail_comes_as_lines_or_as_a_table) {
  add_people(1'500);
  const Answer lines = get("/api/v1/audit", {{"Accept", "application/jsonl"}});
  EXPECT_EQ(std::ranges::count(lines.body, '\n'), 1'500);
  const Answer table = get("/api/v1/audit?order=newest", {{"Accept", "text/csv"}});
  EXPECT_THAT(table.body, StartsWith("number,at,by,kind,method,"));
  EXPECT_EQ(std::ranges::count(table.body, '\n'), 1'501);
}

TEST_F(AuditRoutes, a_check_answers_whether_the_trail_is_whole) {
  const Answer empty = get("/api/v1/audit/verify");
  EXPECT_EQ(empty.body, "{\"ok\":true,\"entries\":0,\"head\":null,\"faults\":[]}\n");
  add_people(3);
  const Answer whole = get("/api/v1/audit/verify");
  EXPECT_EQ(whole.at("entries"), "3");
  const std::string head = field(whole.json(), "head").string().value();
  add_people(1);
  EXPECT_EQ(get("/api/v1/audit/verify?head=" + head).at("ok"), "true");
  const Answer other = get("/api/v1/audit/verify?head=" + std::string(64, '0'));
  EXPECT_EQ(other.status, 200U);
  EXPECT_EQ(other.at("ok"), "false");
  EXPECT_THAT(other.at("faults"), HasSubstr("0000"));
  EXPECT_EQ(get("/api/v1/audit/verify?head=abc").status, 400U);
}

TEST_F(AuditRoutes, an_act_over_the_network_is_recorded_with_its_address) {
  add_people(1);
  ASSERT_TRUE(store().people().change(AddPerson{.name = "olga", .role = Role::admin, .groups = {}},
                                      {.name = "root"}));
  ASSERT_EQ(post("/api/v1/people", Json::object({{"name", "anna"}})).status, 201U);
  const Answer entries = get("/api/v1/audit?actor=olga");
  EXPECT_EQ(entries.at("entries[0].method"), "\"session\"");
  EXPECT_EQ(entries.at("entries[0].address"), "\"127.0.0.1\"");
}

}  // namespace
}  // namespace pawl::service
