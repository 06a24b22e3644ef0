/// What the daemon measures: the format, the names, the bounds.

#include "service/live/metrics.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_test.hpp"
#include "service/http/server.hpp"
#include "service/live/attempt_counts.hpp"
#include "service/live/metric_text.hpp"
#include "service/live/request_counts.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using testing::fails;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::items;
using ::testing::Not;
using testing::Script;
using testing::succeeds;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

/// The value of a sample; -1 if there is none.
double value_of(const std::string& text, const std::string& sample) {
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(sample + " ")) return std::stod(line.substr(sample.size() + 1));
  }
  return -1;
}

std::size_t samples_of(const std::string& text, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      lines_of(text), [&](const std::string& line) { return line.starts_with(name + "{"); }));
}

class IdleServer final : public Server {
 public:
  [[nodiscard]] std::string address() const override { return "127.0.0.1:1"; }
  void start() override {}
  void stop(std::chrono::milliseconds /*patience*/) override {}
  [[nodiscard]] ServerFigures figures() const override {
    return {.connections = 3, .streams = 1, .accepted = 7, .refused = 2};
  }
};

class MetricsTest : public ApiTest {
 protected:
  static Program letters(const std::string& name = "letters", const std::string& stage = "write") {
    const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
    WorkflowBuilder build(name);
    build.stage(stage, succeed).retry({.max_attempts = 1});
    build.human_stage("check").needs(stage);
    return testing::built(build);
  }
  std::string text() { return metrics_.text(backend_); }

  IdleServer server_;
};

TEST_F(MetricsTest, jobs_tasks_and_attempts_are_counted_by_stage) {
  world_.stage("write", Script{}.then(succeeds().after(2s)).item("b").then(fails("503")));
  const JobId job = world_.submit(letters(), items({"a", "b", "c"}));
  world_.finish(job);
  const std::string found = text();
  EXPECT_EQ(value_of(found, "pawl_jobs{state=\"running\"}"), 1);
  EXPECT_EQ(value_of(found, "pawl_jobs{state=\"paused\"}"), 0);
  const std::string check = "pawl_tasks{workflow=\"letters\",stage=\"check\",state=";
  const std::string write = "pawl_tasks{workflow=\"letters\",stage=\"write\",state=";
  EXPECT_EQ(value_of(found, check + "\"awaiting_review\"}"), 2);
  EXPECT_EQ(value_of(found, write + "\"succeeded\"}"), 2);
  EXPECT_EQ(value_of(found, write + "\"failed\"}"), 1);
  EXPECT_EQ(value_of(found, "pawl_reviews_open"), 2);
  EXPECT_EQ(value_of(found, "pawl_dead_letters"), 1);
  const std::string stage = "workflow=\"letters\",stage=\"write\"";
  EXPECT_EQ(value_of(found, "pawl_attempts_total{" + stage + ",result=\"success\"}"), 2);
  EXPECT_EQ(value_of(found, "pawl_attempts_total{" + stage + ",result=\"failure\"}"), 1);
  const std::string durations = "pawl_attempt_duration_seconds_";
  EXPECT_EQ(value_of(found, durations + "bucket{" + stage + ",le=\"1\"}"), 0);
  EXPECT_EQ(value_of(found, durations + "bucket{" + stage + ",le=\"2.5\"}"), 2);
  EXPECT_EQ(value_of(found, durations + "sum{" + stage + "}"), 4);
  EXPECT_EQ(value_of(found, "pawl_events_total{type=\"job.submitted\"}"), 1);
  EXPECT_EQ(value_of(found, "pawl_workers{state=\"alive\"}"), 1);
}

TEST_F(MetricsTest, attempts_are_counted_once_however_often_somebody_asks) {
  const JobId job = world_.submit(letters(), items({"a"}));
  world_.finish(job);
  const std::string sample =
      "pawl_attempts_total{workflow=\"letters\",stage=\"write\",result=\"success\"}";
  EXPECT_EQ(value_of(text(), sample), 1);
  EXPECT_EQ(value_of(text(), sample), 1);
  world_.finish(world_.submit(letters(), items({"b"})));
  EXPECT_EQ(value_of(text(), sample), 2) << "jobs of one workflow are counted together";
}

TEST_F(MetricsTest, the_age_of_a_queue_is_that_of_its_oldest_item) {
  const Program program = letters();
  const auto job = submit_to_store(store(), program.workflow(), [](std::vector<NewItem>& page) {
    page = items({"a", "b"});
    return Result<bool>(false);
  });
  ASSERT_TRUE(job);  // nobody serves it
  world_.pass(90s);
  const std::string sample = "pawl_queue_oldest_age_seconds{workflow=\"letters\",stage=\"write\"}";
  EXPECT_EQ(value_of(text(), sample), 90);
  world_.serve(program);
  world_.finish(*job);
  EXPECT_EQ(value_of(text(), sample), -1) << "nothing waits";
}

TEST_F(MetricsTest, the_age_of_a_later_stage_begins_when_the_stage_before_it_ended) {
  const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
  WorkflowBuilder whole("letters");
  whole.stage("write", succeed);
  whole.stage("send", succeed).needs("write");
  world_.stage("write", Script{}.then(succeeds().after(1h)));
  const JobId job = world_.submit(testing::built(whole), items({"a"}));
  world_.pass(30min);
  ASSERT_TRUE(world_.engine().act(PauseStage{.job = job, .stage = StageIndex{1}}));
  world_.pass(45min);
  const std::string sample = "pawl_queue_oldest_age_seconds{workflow=\"letters\",stage=\"send\"}";
  EXPECT_EQ(value_of(text(), sample), 15 * 60);
}

TEST_F(MetricsTest, requests_are_counted_by_route_and_not_by_address) {
  (void)get("/healthz");
  (void)get("/api/v1/workers/1");
  (void)get("/api/v1/workers/99");
  (void)get("/nothing/here");
  for (const RequestRecord& record :
       {RequestRecord{.method = "GET",
                      .path = "/api/v1/workers/1",
                      .route = "/api/v1/workers/{worker}",
                      .status = 200,
                      .duration = 20ms},
        RequestRecord{.method = "GET",
                      .path = "/api/v1/workers/99",
                      .route = "/api/v1/workers/{worker}",
                      .status = 404,
                      .duration = 1ms},
        RequestRecord{.method = "BREW", .path = "/x", .status = 404}}) {
    metrics_.note(record);
  }
  const std::string found = text();
  const std::string route = "route=\"/api/v1/workers/{worker}\"";
  const std::string requests = "pawl_http_requests_total{";
  EXPECT_EQ(value_of(found, requests + route + ",method=\"GET\",status=\"2xx\"}"), 1);
  EXPECT_EQ(value_of(found, requests + route + ",method=\"GET\",status=\"4xx\"}"), 1);
  EXPECT_EQ(value_of(found, requests + "route=\"\",method=\"other\",status=\"4xx\"}"), 1);
  EXPECT_EQ(value_of(found, "pawl_http_request_duration_seconds_count{" + route + "}"), 2);
}

TEST_F(MetricsTest, a_name_of_a_stage_cannot_forge_samples) {
  const std::string hostile = "a\"} 7 pawl_jobs{state=\"\\";
  const JobId job = world_.submit(letters("letters", hostile), items({"a"}));
  world_.finish(job);
  const std::string found = text();
  EXPECT_EQ(value_of(found, "pawl_jobs{state=\"running\"}"), 1);
  EXPECT_THAT(found, HasSubstr("stage=\"a\\\"} 7 pawl_jobs{state=\\\"\\\\\""));
}

TEST_F(MetricsTest, too_many_stages_are_left_out_and_counted) {
  for (int i = 0; i < 120; ++i) {
    world_.submit(letters("workflow-" + std::to_string(i)), items({"a"}));
  }
  const std::string found = text();
  EXPECT_EQ(samples_of(found, "pawl_tasks"), StoreFigures::stages_max * state_kinds);
  EXPECT_EQ(value_of(found, "pawl_metrics_left_out{what=\"stages\"}"),
            240 - StoreFigures::stages_max);
  EXPECT_EQ(value_of(found, "pawl_jobs{state=\"running\"}"), 120);
}

TEST(MetricBounds, attempts_of_too_many_stages_make_no_more_series) {
  AttemptCounts counts(10);
  for (int i = 1; i <= 20'000; ++i) {
    counts.note({.type = EventType::attempt_finished,
                 .job = JobId{i},
                 .task = task_id(i, StageIndex{}),
                 .code = 1,
                 .count = 1'000});
  }
  MetricText text;
  counts.write(text, [](JobId job, StageIndex) {
    return StageNames{.workflow = "w" + std::to_string(job.value()), .stage = "s"};
  });
  const std::string found = text.take();
  EXPECT_LE(samples_of(found, "pawl_attempts_total"), 12U);
  EXPECT_EQ(value_of(found, "pawl_events_total{type=\"attempt.finished\"}"), 20'000);
  EXPECT_GT(value_of(found, "pawl_attempts_total{workflow=\"\",stage=\"\",result=\"success\"}"), 0);
}

TEST(MetricBounds, attempts_wait_for_a_store_that_is_away) {
  AttemptCounts counts(10);
  counts.note({.type = EventType::attempt_finished,
               .job = JobId{1},
               .task = task_id(1, StageIndex{}),
               .code = 1});
  MetricText away;
  counts.write(away, [](JobId, StageIndex) { return std::nullopt; });
  EXPECT_EQ(samples_of(away.take(), "pawl_attempts_total"), 0U);
  MetricText back;
  counts.write(back, [](JobId, StageIndex) { return StageNames{.workflow = "w", .stage = "s"}; });
  EXPECT_EQ(samples_of(back.take(), "pawl_attempts_total"), 1U);
}

TEST(MetricBounds, too_many_routes_make_no_more_series) {
  RequestCounts counts(5);
  for (int i = 0; i < 100; ++i) {
    const std::string route = "/" + std::to_string(i);
    counts.note({.method = "GET", .path = route, .route = route, .status = 200});
  }
  MetricText text;
  counts.write(text);
  EXPECT_LE(samples_of(text.take(), "pawl_http_requests_total"), 6U);
}

TEST(MetricFormat, a_value_of_a_label_is_valid_text_of_bounded_length) {
  MetricText text;
  text.begin("pawl_x", MetricKind::gauge, "Something.");
  const std::string broken("\xff\0z\n", 4);
  const std::string long_one(10'000, 'b');
  text.add({{"a", broken}, {"b", long_one}}, 1.5);
  const std::string found = text.take();
  EXPECT_LT(found.size(), 1'000U);
  EXPECT_THAT(found, HasSubstr("a=\"\xEF\xBF\xBD\xEF\xBF\xBDz\\n\""));
  EXPECT_THAT(found, HasSubstr(" 1.5\n"));
}

TEST_F(MetricsTest, connections_come_from_the_server) {
  EXPECT_EQ(value_of(text(), "pawl_http_connections"), -1) << "it does not listen yet";
  backend_.daemon.server = &server_;
  const std::string found = text();
  EXPECT_EQ(value_of(found, "pawl_http_connections"), 3);
  EXPECT_EQ(value_of(found, "pawl_http_connections_accepted_total"), 7);
}

/// The rules of the format that a reader relies on.
TEST_F(MetricsTest, every_family_is_begun_once_and_its_samples_follow) {
  world_.finish(world_.submit(letters(), items({"a", "b"})));
  metrics_.note({.method = "GET", .path = "/healthz", .route = "/healthz", .status = 200});
  std::set<std::string> families;
  std::set<std::string> samples;
  std::map<std::string, std::string> kinds;
  std::string family;
  for (const std::string& line : lines_of(text())) {
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << family << " is begun twice";
      EXPECT_TRUE(line.ends_with(".")) << line;
    } else if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(line.starts_with("# TYPE " + family + " ")) << line;
      kinds[family] = line.substr(8 + family.size());
    } else {
      EXPECT_TRUE(line.starts_with(family)) << line;
      EXPECT_TRUE(samples.insert(line.substr(0, line.rfind(' '))).second) << line << " twice";
    }
  }
  for (const auto& [name, kind] : kinds) {
    EXPECT_EQ(name.ends_with("_total"), kind == " counter" || kind == "counter") << name;
  }
}

TEST_F(MetricsTest, promtool_accepts_all_of_it) {
  world_.stage("st\\age", Script{}.then(succeeds()).item("b").then(fails("503")));
  world_.finish(world_.submit(letters("wörk \"flow\"", "st\\age"), items({"a", "b"})));
  metrics_.note({.method = "GET", .path = "/healthz", .route = "/healthz", .status = 200});
  const std::filesystem::path file = folder_.path() / "metrics.txt";
  backend_.daemon.server = &server_;
  std::ofstream(file) << text();
  const std::string command = "promtool check metrics < '" + file.string() + "' 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0) << "promtool is in the Debian package prometheus";
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace pawl::service
