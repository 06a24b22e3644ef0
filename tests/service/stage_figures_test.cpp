/// How long the attempts of each stage took in the last hour.

#include "service/live/stage_figures.hpp"

#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/testing/testing.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using testing::items;
using testing::Script;
using testing::succeeds;

class StageFiguresTest : public ::testing::Test {
 protected:
  static Program letters() {
    const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
    WorkflowBuilder build("letters");
    build.stage("write", succeed);
    build.stage("send", succeed).needs("write");
    return testing::built(build);
  }

  /// A job whose stage "write" takes so long for each item.
  JobId run_job(std::initializer_list<std::string> keys, Duration each) {
    world_.stage("write", Script{}.then(succeeds().after(each)));
    const JobId job = world_.submit(program_, items(keys));
    world_.finish(job);
    return job;
  }
  Json document(const StageFigures& figures, JobId job) {
    return figures.document_of(world_.job(job), program_.workflow());
  }
  static double number(const Json& document, const std::string& path) {
    return field(document, path).number().value_or(-1);
  }
  static std::vector<std::int64_t> per_minute(const Json& document, int stage) {
    std::vector<std::int64_t> counts;
    const std::string path = "stages[" + std::to_string(stage) + "].per_minute";
    for (const Json& count : elements(field(document, path))) {
      counts.push_back(JsonView(count).integer().value_or(-1));
    }
    return counts;
  }
  LiveEvents live() { return LiveEvents(world_.engine(), {.has_thread = false}); }

  testing::World world_;
  Program program_ = letters();
};

TEST_F(StageFiguresTest, every_stage_of_the_job_is_there_in_the_order_of_the_workflow) {
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  const JobId job = run_job({"a"}, 1s);
  const Json all = document(figures, job);
  EXPECT_EQ(*field(all, "stages[0].stage").string(), "write");
  EXPECT_EQ(*field(all, "stages[1].stage").string(), "send");
  EXPECT_FALSE(field(all, "stages[2]").exists());
}

TEST_F(StageFiguresTest, durations_are_told_to_about_a_tenth) {
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  world_.stage("write",
               Script{}.then(succeeds().after(10s)).item("slow").then(succeeds().after(100s)));
  std::vector<NewItem> all;
  for (int i = 0; i < 99; ++i) {
    all.push_back({.key = std::to_string(i), .category = {}, .data = {}});
  }
  all.push_back({.key = "slow", .category = {}, .data = {}});
  const JobId job = world_.submit(program_, std::move(all));
  world_.finish(job);
  const Json found = document(figures, job);
  EXPECT_EQ(number(found, "stages[0].attempts"), 100);
  EXPECT_NEAR(number(found, "stages[0].p50_s"), 10, 1.3);
  EXPECT_NEAR(number(found, "stages[0].p95_s"), 10, 1.3);
  EXPECT_DOUBLE_EQ(number(found, "stages[0].max_s"), 100) << "the longest is exact";
}

TEST_F(StageFiguresTest, a_stage_without_attempts_has_no_durations) {
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  const JobId job = world_.submit(program_, items({"a"}));
  const Json found = document(figures, job);
  EXPECT_EQ(number(found, "stages[1].attempts"), 0);
  EXPECT_EQ(field(found, "stages[1].p50_s").text(), "null");
  EXPECT_EQ(field(found, "stages[1].max_s").text(), "null");
  EXPECT_EQ(per_minute(found, 1), std::vector<std::int64_t>(60));
}

TEST_F(StageFiguresTest, attempts_are_counted_in_the_minute_in_which_they_ended) {
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  const JobId job = world_.submit(program_, items({"a"}));
  world_.finish(job);
  world_.pass(10min);
  const JobId other = run_job({"b", "c"}, 1s);
  const std::vector<std::int64_t> first = per_minute(document(figures, job), 0);
  ASSERT_EQ(first.size(), 60U);
  EXPECT_EQ(first[49], 1) << "ten minutes ago";
  EXPECT_EQ(std::accumulate(first.begin(), first.end(), std::int64_t{0}), 1);
  EXPECT_EQ(per_minute(document(figures, other), 0).back(), 2) << "jobs are apart";
}

TEST_F(StageFiguresTest, what_is_older_than_an_hour_is_forgotten) {
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  const JobId old = run_job({"a", "b"}, 1s);
  EXPECT_EQ(figures.stages(), 2U);
  world_.pass(59min);
  EXPECT_EQ(number(document(figures, old), "stages[0].attempts"), 2);
  world_.pass(2min);
  EXPECT_EQ(number(document(figures, old), "stages[0].attempts"), 0);
  const JobId young = run_job({"c"}, 1s);
  EXPECT_EQ(number(document(figures, young), "stages[0].attempts"), 1);
  EXPECT_EQ(figures.stages(), 2U) << "the stages of the old job are gone";
}

TEST_F(StageFiguresTest, the_last_hour_of_the_log_is_there_after_a_start) {
  const JobId older = run_job({"x"}, 1s);
  world_.pass(61min);
  const JobId job = run_job({"a", "b", "c"}, 20s);
  world_.pass(5min);
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  figures.wait_until_seeded();
  const Json found = document(figures, job);
  EXPECT_EQ(number(found, "stages[0].attempts"), 3);
  EXPECT_DOUBLE_EQ(number(found, "stages[0].max_s"), 20);
  EXPECT_EQ(number(document(figures, older), "stages[0].attempts"), 0);
  EXPECT_EQ(figures.stages(), 2U);
}

TEST_F(StageFiguresTest, no_attempt_counts_twice_when_the_log_is_read_while_events_come) {
  run_job({"x", "y"}, 1s);
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  const JobId job = run_job({"a", "b", "c"}, 1s);  // while the log is read
  figures.wait_until_seeded();
  EXPECT_EQ(number(document(figures, job), "stages[0].attempts"), 3);
  StageFigures later(world_.engine(), live);  // these three come from the log
  later.wait_until_seeded();
  EXPECT_EQ(number(document(later, job), "stages[0].attempts"), 3);
}

TEST_F(StageFiguresTest, memory_is_bounded_however_many_jobs_there_are) {
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  Event event{.type = EventType::attempt_finished, .count = 1'000'000};
  for (int job = 1; job <= 5'000; ++job) {
    event.job = JobId{job};
    event.task = task_id(job, StageIndex{});
    event.at = world_.now() - Duration(5'000 - job);
    figures.note(event);
  }
  EXPECT_LE(figures.stages(), StageFigures::stages_max);
  EXPECT_GT(figures.stages(), StageFigures::stages_max / 2);
}

TEST_F(StageFiguresTest, attempts_without_a_recorded_duration_are_counted_all_the_same) {
  LiveEvents live = this->live();
  StageFigures figures(world_.engine(), live);
  const JobId job = world_.submit(program_, items({"a"}));
  figures.note({.type = EventType::attempt_finished,
                .job = job,
                .task = task_id(1, StageIndex{}),
                .at = world_.now()});
  const Json found = document(figures, job);
  EXPECT_EQ(number(found, "stages[0].attempts"), 1);
  EXPECT_EQ(field(found, "stages[0].p95_s").text(), "null");
}

}  // namespace
}  // namespace pawl::service
