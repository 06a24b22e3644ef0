/// Dead letters over the API.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/store/audit.hpp"
#include "pawl/store/dead_letters.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/url_text.hpp"
#include "service/review_api_test.hpp"
#include "store/dead_letters/signature_memory.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::fails_for_good;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Script;
using ::testing::SizeIs;
using testing::succeeds;
using ::testing::UnorderedElementsAre;

class DeadLetterRoutes : public ReviewApiTest {
 protected:
  DeadLetterRoutes() { as("olga"); }

  /// A job of items that all fail with this message; those whose key begins with "good" succeed
  /// when they are tried again.
  JobId failed(const std::vector<std::string>& keys, const std::string& message = "no tables",
               std::string_view name = "letters") {
    const auto never = [](Context&, const std::stop_token&) -> Outcome { return Output{}; };
    WorkflowBuilder build{std::string(name)};
    build.stage("convert", never);
    build.stage("publish", never).needs("convert");
    Script script;
    script.then(fails_for_good(message, "65"));
    for (const std::string& key : keys) {
      if (!key.starts_with("good")) continue;
      script.item(key).then(fails_for_good(message, "65")).then(succeeds());
    }
    world_.stage("convert", script);
    std::vector<NewItem> items;
    for (const std::string& key : keys) {
      items.push_back(
          {.key = key, .category = {}, .data = Json(key), .data_sha256 = {}, .history = {}});
    }
    const JobId job = world_.submit(testing::built(build), std::move(items));
    world_.run();
    return job;
  }
  static std::string list(const std::string& query) { return "/api/v1/dead-letters?" + query; }
  static std::vector<std::string> items_in(const Answer& answer) {
    return column(answer, "dead_letters", "item");
  }
  TaskId task_of(JobId job, const std::string& key) {
    return task_id(store().records().item(job, key)->id, StageIndex{0});
  }
  static std::string path_of(TaskId task, std::string_view act) {
    return "/api/v1/dead-letters/" + std::to_string(task.value()) + "/" + std::string(act);
  }
  Answer preview(std::vector<std::pair<std::string, Json>> body) {
    return post("/api/v1/dead-letters/preview", Json::object(body));
  }
};

TEST_F(DeadLetterRoutes, letters_are_listed_with_their_failures_and_counted) {
  const JobId job = failed({"a", "b"});
  const Answer letters = get(list("job=" + std::to_string(job.value())));
  ASSERT_EQ(letters.status, 200U) << letters.body;
  EXPECT_THAT(items_in(letters), ElementsAre("\"a\"", "\"b\""));
  EXPECT_EQ(letters.at("total"), R"({"count":2,"is_more":false})");
  const Json document = letters.json();
  for (const Json& row : elements(field(document, "dead_letters"))) {
    EXPECT_TRUE(fits_schema(row, "DeadLetter"));
  }
  EXPECT_EQ(text(letters, "dead_letters[0].failure_history[0].message"), "no tables");
  EXPECT_EQ(get(list("job=77")).status, 404U);
}

TEST_F(DeadLetterRoutes, pages_show_every_letter_once_even_while_letters_are_retried) {
  std::vector<std::string> keys;
  for (int i = 0; i < 23; ++i) keys.push_back("k" + std::to_string(i));
  const JobId job = failed(keys);
  std::vector<std::string> seen;
  std::string after;
  for (int page = 0; page < 50; ++page) {
    const Answer letters = get(list("limit=5" + after));
    const std::vector<std::string> tasks = column(letters, "dead_letters", "task");
    seen.insert(seen.end(), tasks.begin(), tasks.end());
    EXPECT_EQ(post(path_of(TaskId{std::stoll(tasks.back())}, "retry")).status, 200U);
    if (letters.at("next") == "null") break;
    after = "&after=" + text(letters, "next");
  }
  EXPECT_THAT(seen, SizeIs(23));
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  EXPECT_EQ(get(list("after=x")).status, 400U);
  EXPECT_EQ(world_.job(job).id, job);
}

TEST_F(DeadLetterRoutes, json_lines_are_the_export_of_the_command_line) {
  failed({"a", "b", "c"});
  const Answer lines = get(list(""), {{"Accept", "application/jsonl"}});
  ASSERT_EQ(lines.status, 200U);
  std::vector<std::string> exported;
  ASSERT_TRUE(export_dead_letters(store(), {}, [&](std::string_view line) -> Status {
                exported.emplace_back(line.substr(0, line.size() - 2));
                return {};
              }).has_value());
  std::size_t at = 0;
  for (const std::string& line : exported) {
    at = lines.body.find(line, at);
    EXPECT_NE(at, std::string::npos) << line;
  }
  EXPECT_EQ(std::ranges::count(lines.body, '\n'), 3);
}

TEST_F(DeadLetterRoutes, a_filter_selects_and_hostile_ones_are_refused_with_their_column) {
  failed({"a"}, "no tables");
  failed({"b"}, "timeout after 9 s");
  const auto filtered = [&](const std::string& filter) {
    return get(list("filter=" + with_escapes(filter)));
  };
  const Answer timeouts = filtered("error ~ \"TIMEOUT\" and not item = \"a\"");
  EXPECT_THAT(items_in(timeouts), ElementsAre("\"b\""));
  EXPECT_EQ(timeouts.at("total"), "null");
  EXPECT_THAT(items_in(filtered("error ~ \"'; DROP TABLE tasks; --\"")), IsEmpty());
  const std::vector<std::string> hostile{"",
                                         " ",
                                         "errror ~ \"x\"",
                                         "error ~ \"x",
                                         "error ~ ",
                                         "1 = 1",
                                         "error = \"x\" or",
                                         "'; DROP TABLE tasks; --",
                                         "cause = \"nonsense\"",
                                         std::string("error = \"\0\"", 11),
                                         std::string(100, '('),
                                         std::string(filter_length_max + 1, 'a'),
                                         "\xff\xfe"};
  for (const std::string& filter : hostile) {
    EXPECT_NE(filtered(filter).status, 500U) << filter;
    if (filter.find('\0') != std::string::npos) continue;
    EXPECT_EQ(filtered(filter).status, 400U) << filter;
    EXPECT_EQ(preview({{"act", "retry"}, {"filter", filter}}).status, 400U) << filter;
    EXPECT_EQ(get("/api/v1/dead-letters/groups?filter=" + with_escapes(filter)).status, 400U);
  }
  EXPECT_THAT(message(filtered("errror ~ \"x\"")), HasSubstr("column 1"));
  EXPECT_THAT(items_in(get(list("stage=" + with_escapes("x\" or discarded or \"")))), IsEmpty())
      << "a stage is a name, not a part of the filter";
}

TEST_F(DeadLetterRoutes, letters_that_failed_in_the_same_way_are_a_group) {
  failed({"a", "b"}, "page 3: no tables");
  failed({"c"}, "page 9: no tables");
  failed({"d"}, "encrypted");
  const Answer groups = get("/api/v1/dead-letters/groups");
  ASSERT_EQ(groups.status, 200U);
  EXPECT_TRUE(fits_schema(groups.json(), "DeadLetterGroups"));
  EXPECT_THAT(column(groups, "groups", "count"), ElementsAre("3", "1"));
  const std::string filter = text(groups, "groups[0].filter");
  EXPECT_THAT(items_in(get(list("filter=" + with_escapes(filter)))), SizeIs(3));
}

TEST_F(DeadLetterRoutes, groups_are_right_however_often_they_are_asked_for) {
  const JobId job = failed({"a", "b"}, "no tables");
  ASSERT_EQ(get("/api/v1/dead-letters/groups").body, get("/api/v1/dead-letters/groups").body);
  world_.stage("convert", Script{}.then(fails_for_good("encrypted")));
  ASSERT_EQ(post(path_of(task_of(job, "a"), "retry")).status, 200U);
  world_.run();
  const Answer groups = get("/api/v1/dead-letters/groups");
  EXPECT_THAT(
      column(groups, "groups", "error"),
      UnorderedElementsAre("\"final reported: encrypted\"", "\"final reported 65: no tables\""));
  ASSERT_EQ(post(path_of(task_of(job, "b"), "discard"), Json::object({{"reason", "x"}})).status,
            200U);
  EXPECT_EQ(get("/api/v1/dead-letters/groups").at("letters"), "1");
  EXPECT_EQ(get("/api/v1/dead-letters/groups?include_discarded=true").at("letters"), "2");
}

TEST(SignatureMemory, forgets_rather_than_grows) {
  store::SignatureMemory memory;
  DeadLetter letter{.signature = "no tables", .failed_at = Timestamp(1s)};
  for (std::int64_t i = 1; i <= 100'001; ++i) {
    letter.task = TaskId{i};
    memory.add(letter);
  }
  EXPECT_TRUE(memory.find(letter).has_value());
  letter.task = TaskId{1};
  EXPECT_FALSE(memory.find(letter).has_value());
  letter.task = TaskId{100'001};
  letter.attempts = 7;
  EXPECT_FALSE(memory.find(letter).has_value()) << "it failed again";
}

TEST_F(DeadLetterRoutes, a_retried_letter_runs_again_once) {
  const JobId job = failed({"good", "b"});
  const TaskId task = task_of(job, "good");
  const Answer shown = get("/api/v1/dead-letters/" + std::to_string(task.value()));
  EXPECT_EQ(shown.status, 200U);
  EXPECT_TRUE(fits_schema(shown.json(), "DeadLetter"));
  const Answer retried = post(path_of(task, "retry"), Json::object({{"note", "try OCR"}}));
  ASSERT_EQ(retried.status, 200U) << retried.body;
  EXPECT_TRUE(fits_schema(retried.json(), "RetriedLetter"));
  EXPECT_EQ(post(path_of(task, "retry")).status, 409U) << "it is no dead letter any more";
  world_.run();
  EXPECT_EQ(world_.state(job, "good", "convert"), StateKind::succeeded);
  EXPECT_EQ(world_.calls("convert").back().feedback->summary, "try OCR");
  EXPECT_EQ(post("/api/v1/dead-letters/4711/retry").status, 404U);
  const std::vector<AuditEntry> entries =
      *store().records().audit({.act = "task.rerun", .limit = 100});
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].actor.name, "olga");
}

TEST_F(DeadLetterRoutes, a_letter_is_discarded_for_a_reason_and_leaves_the_list) {
  const JobId job = failed({"a"});
  const TaskId task = task_of(job, "a");
  EXPECT_EQ(post(path_of(task, "discard")).status, 400U);
  EXPECT_EQ(post(path_of(task, "discard"), Json::object({{"reason", " \n"}})).status, 400U);
  const Answer gone = post(path_of(task, "discard"), Json::object({{"reason", "a blank page"}}));
  ASSERT_EQ(gone.status, 200U) << gone.body;
  EXPECT_EQ(gone.at("discarded"), "true");
  EXPECT_THAT(items_in(get(list(""))), IsEmpty());
  EXPECT_THAT(items_in(get(list("include_discarded=true"))), SizeIs(1));
  EXPECT_EQ(get(list("include_discarded=true")).at("total.count"), "1");
  EXPECT_EQ(post(path_of(task, "discard"), Json::object({{"reason", "again"}})).status, 409U);
}

TEST_F(DeadLetterRoutes, a_preview_says_what_would_be_done_and_changes_nothing) {
  const JobId job = failed({"a", "b", "c"});
  const std::uint64_t mark = store().change_mark();
  const Answer all = preview({{"act", "retry"}, {"all", true}});
  ASSERT_EQ(all.status, 200U) << all.body;
  EXPECT_TRUE(fits_schema(all.json(), "DeadLetterPreview"));
  EXPECT_EQ(all.at("would"), "3");
  EXPECT_EQ(all.at("refused"), "0");
  EXPECT_EQ(all.at("is_more"), "false");
  EXPECT_THAT(column(all, "letters", "item"), ElementsAre("\"a\"", "\"b\"", "\"c\""));
  const Answer one =
      preview({{"act", "purge"}, {"ids", Json::array({task_of(job, "a").value(), 4711})}});
  EXPECT_EQ(one.at("would"), "0");
  EXPECT_EQ(one.at("refused"), "2");
  EXPECT_THAT(text(one, "refusals[0].error.message"), HasSubstr("has not been discarded"));
  EXPECT_EQ(text(one, "refusals[1].error.code"), "not_found");
  EXPECT_EQ(store().change_mark(), mark);
}

TEST_F(DeadLetterRoutes, a_selection_is_never_everything_by_accident) {
  failed({"a"});
  EXPECT_EQ(preview({{"act", "retry"}}).status, 400U);
  EXPECT_EQ(preview({{"act", "retry"}, {"all", false}}).status, 400U);
  EXPECT_EQ(preview({{"act", "retry"}, {"ids", Json::array({})}}).status, 400U);
  EXPECT_EQ(preview({{"act", "retry"}, {"ids", Json::array({1})}, {"all", true}}).status, 400U);
  const Answer wrong = preview({{"act", "retry"}, {"ids", Json::array({1, "x", -2, 1.5})}});
  EXPECT_EQ(wrong.status, 400U);
  EXPECT_THAT(message(wrong), HasSubstr("\"x\", -2, 1.5"));
  EXPECT_EQ(preview({{"act", "burn"}, {"all", true}}).status, 400U);
  EXPECT_EQ(preview({{"act", "retry"}, {"job", 99}}).status, 404U);
}

TEST_F(DeadLetterRoutes, looking_needs_no_role_and_acting_does) {
  const JobId job = failed({"a"});
  as("anna");
  EXPECT_EQ(get(list("")).status, 200U);
  EXPECT_EQ(get("/api/v1/dead-letters/groups").status, 200U);
  EXPECT_EQ(preview({{"act", "retry"}, {"all", true}}).status, 403U);
  EXPECT_EQ(post(path_of(task_of(job, "a"), "retry")).status, 403U);
  EXPECT_EQ(post(path_of(task_of(job, "a"), "discard"), Json::object({{"reason", "x"}})).status,
            403U);
}

TEST(DeadLetterPages, a_filter_that_selects_nothing_reads_only_so_many_letters_at_a_time) {
  testing::World world;
  WorkflowBuilder build("letters");
  build.stage("convert", [](Context&, const std::stop_token&) -> Outcome { return Output{}; });
  world.stage("convert", Script{}.then(fails_for_good("no tables")));
  std::vector<NewItem> items;
  for (int i = 0; i < 25; ++i) {
    items.push_back({.key = "k" + std::to_string(i),
                     .category = {},
                     .data = {},
                     .data_sha256 = {},
                     .history = {}});
  }
  world.submit(testing::built(build), std::move(items));
  world.run();
  DeadLetterQuery query{.filter = *parse_dead_letter_filter("error ~ \"nothing\""), .read_max = 10};
  int pages = 0;
  for (TaskId after; pages < 10; ++pages) {
    query.after = after;
    const DeadLetterPage page = *list_dead_letters(world.store(), query);
    EXPECT_TRUE(page.letters.empty());
    if (!page.next) break;
    EXPECT_LT(after, page.next);
    after = page.next;
  }
  EXPECT_EQ(pages, 2) << "ten, ten and five";
}

}  // namespace
}  // namespace pawl::service
