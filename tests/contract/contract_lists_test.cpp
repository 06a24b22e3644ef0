/// A filtered list, read page by page, equals the whole list without the rows that do not match.

#include "contract/contract.hpp"
#include "contract/listing.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

class Lists : public Contract {
 protected:
  JobId submit_with_categories(const Workflow& flow, std::string_view letters) {
    const JobId job = drive.store().create_job({.workflow = flow})->id;
    std::vector<NewItem> items;
    for (const char letter : letters) {
      items.push_back({.key = std::string(1, letter), .category = letter < 'd' ? "early" : ""});
    }
    EXPECT_TRUE(drive.store().add_items({.job = job, .items = items, .close = true}));
    return job;
  }

  /// Items in every state, in two jobs whose items were submitted in turns, and in a cancelled job.
  std::vector<JobId> mixed_jobs() {
    const Workflow flow = workflow("mixed", {stage("only")});
    std::vector<JobId> jobs{submit_with_categories(flow, "abcdefg"),
                            submit_with_categories(flow, "abcdefg"),
                            submit_with_categories(workflow("other", {stage("only")}), "abcdefg")};
    // a fails, b is cancelled, c is cut short, d and e stay active, the rest succeeds.
    for (const Claimed& claimed : drive.claim()) {
      const std::string& key = claimed.item_key;
      if (key == "a") drive.close(claimed, failed("broken", ErrorClass::final));
      if (key == "b" || key == "c") {
        EXPECT_TRUE(drive.act(CancelItem{claimed.task.item}));
      }
      if (key == "b" || key > "e") drive.close(claimed, succeeded());
    }
    EXPECT_TRUE(drive.act(CancelJob{jobs.back()}));
    return jobs;
  }
};

TEST_P(Lists, of_items_by_job_category_and_the_state_that_shows) {
  std::vector<JobId> jobs = mixed_jobs();
  const std::vector<Item> all = *drive.records().items({.limit = 100});
  ASSERT_EQ(all.size(), 21U);
  const JobId cut = jobs.back();
  const auto shows = [&](const Item& item) {
    const bool is_cut_short = item.cancelled || item.job == cut;
    return item.state == ItemState::active && is_cut_short ? ItemState::cancelled : item.state;
  };
  jobs.push_back(JobId{});
  for (const JobId job : jobs) {
    for (const auto state : none_and_all<ItemState>()) {
      for (const std::string category : {"", "early", "late"}) {
        const auto listed = paged<Item, ItemFilter>(
            {.job = job, .state = state, .category = category},
            [&](const ItemFilter& filter) { return drive.records().items(filter); },
            [](ItemFilter& filter, const Item& last) { filter.after = last.id; });
        const std::vector<Item> expected = chosen(all, [&](const Item& item) {
          return (!job || item.job == job) && (!state || shows(item) == *state) &&
                 (category.empty() || item.category == category);
        });
        EXPECT_EQ(listed, expected);
        const Tally tally =
            *drive.records().count(ItemFilter{.job = job, .state = state, .category = category});
        EXPECT_EQ(tally.count, static_cast<std::int64_t>(expected.size()));
        EXPECT_FALSE(tally.is_more);
      }
    }
  }
}

TEST_P(Lists, of_tasks_by_job_state_and_whether_they_are_dealt_with) {
  std::vector<JobId> jobs = mixed_jobs();
  EXPECT_TRUE(drive.act(DiscardDeadLetter{drive.task_of(jobs.front(), "a"), "known", "eve"}));
  const std::vector<Task> all = *drive.records().tasks({.limit = 100});
  ASSERT_EQ(all.size(), 21U);
  jobs.push_back(JobId{});
  for (const JobId job : jobs) {
    for (const auto state : none_and_all<StateKind>()) {
      for (const std::optional<bool> discarded :
           {std::optional<bool>(), std::optional(true), std::optional(false)}) {
        const auto listed = paged<Task, TaskFilter>(
            {.job = job, .state = state, .discarded = discarded},
            [&](const TaskFilter& filter) { return drive.records().tasks(filter); },
            [](TaskFilter& filter, const Task& last) { filter.after = last.id; });
        const std::vector<Task> expected = chosen(all, [&](const Task& task) {
          const auto* letter = std::get_if<Failed>(&task.state);
          return (!job || task.job == job) && (!state || task.kind() == *state) &&
                 (!discarded || (letter != nullptr && letter->discarded == *discarded));
        });
        EXPECT_EQ(listed, expected);
        const Tally tally =
            *drive.records().count(TaskFilter{.job = job, .state = state, .discarded = discarded});
        EXPECT_EQ(tally.count, static_cast<std::int64_t>(expected.size()));
        EXPECT_FALSE(tally.is_more);
      }
    }
  }
}

// The children of a stage belong to it too.
TEST_P(Lists, of_tasks_by_stage) {
  StageDefinition fan = stage("fan", {"a"});
  fan.tolerate_failures = {.count = 1};
  const Workflow flow =
      workflow("staged", {stage("a"), fan, reviewed("c", {"fan"}), job_wide("sum", {"c"})});
  const std::vector<JobId> jobs{drive.submit(flow, {"x", "y", "z"}),
                                drive.submit(flow, {"x", "y", "z"})};
  drive.work([](const Claimed& claimed) -> Work {
    const bool is_fan = claimed.task.stage() == second && !claimed.task.child;
    if (is_fan && claimed.item_key == "y") return {.closed = failed("torn", ErrorClass::final)};
    return is_fan ? split({"p", "q", "r"}) : Work{.closed = succeeded(), .children = {}};
  });
  ASSERT_TRUE(say(drive.records().reviews({.job = jobs[0]})->at(0), ReviewOutcome::approve));
  (void)drive.claim(1);
  const std::vector<Task> all = *drive.records().tasks({.limit = 1'000});
  for (const JobId job : jobs) {
    for (const StageIndex wanted : {first, second, third, fourth, StageIndex{9}}) {
      for (const auto state : none_and_all<StateKind>()) {
        for (const std::optional<bool> discarded : {std::optional<bool>(), std::optional(false)}) {
          const TaskFilter filter{
              .job = job, .stage = wanted, .state = state, .discarded = discarded};
          const auto listed = paged<Task, TaskFilter>(
              filter, [&](const TaskFilter& page) { return drive.records().tasks(page); },
              [](TaskFilter& page, const Task& last) { page.after = last.id; });
          const std::vector<Task> expected = chosen(all, [&](const Task& task) {
            return task.job == job && task.stage() == wanted && (!state || task.kind() == *state) &&
                   (!discarded || task.kind() == StateKind::failed);
          });
          EXPECT_EQ(listed, expected);
          const Tally tally = *drive.records().count(filter);
          EXPECT_EQ(tally.count, static_cast<std::int64_t>(expected.size()));
          EXPECT_FALSE(tally.is_more);
        }
      }
    }
  }
}

TEST_P(Lists, of_reviews_by_job_task_and_status) {
  const Workflow flow = workflow("asked", {reviewed("only")});
  std::vector<JobId> jobs{drive.submit(flow, {"a", "b", "c", "d"}),
                          drive.submit(flow, {"a", "b", "c", "d"})};
  drive.work(always(succeeded()));
  for (const JobId job : jobs) {
    const std::vector<Review> asked = *drive.records().reviews({.job = job});
    EXPECT_TRUE(say(asked[0], ReviewOutcome::approve));
    EXPECT_TRUE(drive.act(AnswerReview{asked[1].id,
                                       {.outcome = ReviewOutcome::approve,
                                        .reviewer = "eve",
                                        .note = {},
                                        .effective_at = drive.clock().now() + 30s}}));
    EXPECT_TRUE(drive.act(CancelItem{asked[2].item}));
  }
  const std::vector<Review> all = *drive.records().reviews({.limit = 100});
  ASSERT_EQ(all.size(), 8U);
  const std::vector<TaskId> tasks{TaskId{}, all[0].task, all[3].task};
  jobs.push_back(JobId{});
  for (const JobId job : jobs) {
    for (const auto status : none_and_all<ReviewStatus>()) {
      for (const TaskId task : tasks) {
        const auto listed = paged<Review, ReviewFilter>(
            {.job = job, .task = task, .status = status},
            [&](const ReviewFilter& filter) { return drive.records().reviews(filter); },
            [](ReviewFilter& filter, const Review& last) { filter.after = last.id; });
        EXPECT_EQ(listed, chosen(all, [&](const Review& review) {
                    return (!job || review.job == job) && (!task || review.task == task) &&
                           (!status || review.status == *status);
                  }));
      }
    }
  }
}

TEST_P(Lists, of_jobs_by_workflow_and_whether_they_have_ended) {
  for (int i = 0; i < 3; ++i) {
    for (const std::string name : {"one", "two"}) {
      (void)drive.submit(workflow(name, {stage("only")}), {"a"});
      if (i == 1) drive.work(always(succeeded()));
    }
  }
  const std::vector<Job> all = *drive.records().jobs({.limit = 100});
  ASSERT_EQ(all.size(), 6U);
  for (const std::optional<bool> ended :
       {std::optional<bool>(), std::optional(true), std::optional(false)}) {
    for (const std::string name : {"", "one", "two", "three"}) {
      const auto listed = paged<Job, JobFilter>(
          {.ended = ended, .workflow_name = name},
          [&](const JobFilter& filter) { return drive.records().jobs(filter); },
          [](JobFilter& filter, const Job& last) { filter.before = last.id; });
      EXPECT_EQ(listed, chosen(all, [&](const Job& job) {
                  return (!ended || job.has_ended() == *ended) &&
                         (name.empty() || job.workflow_name == name);
                }));
    }
  }
}

TEST_P(Lists, of_events_by_job_item_and_time) {
  const Workflow flow = workflow("timed", {stage("only")});
  std::vector<JobId> jobs;
  for (int hour = 0; hour < 6; ++hour) {
    jobs.push_back(drive.submit(flow, {"a", "b", "c"}));
    drive.work(always(succeeded()));
    drive.clock().advance(1h);
  }
  const std::vector<Event> all = events();
  const Timestamp begin = all.front().at;
  jobs.push_back(JobId{});
  std::vector<ItemId> items{ItemId{}, drive.item(jobs[1], "b").id};
  for (const JobId job : jobs) {
    for (const ItemId item : items) {
      for (const Timestamp since : {no_time, begin, begin + 90min, begin + 2h, begin + 9h}) {
        const auto listed = paged<Event, EventFilter>(
            {.job = job, .item = item, .since = since},
            [&](const EventFilter& filter) { return drive.records().events(filter); },
            [](EventFilter& filter, const Event& last) { filter.after = last.seq; });
        EXPECT_EQ(listed, chosen(all, [&](const Event& event) {
                    return (!job || event.job == job) && (!item || event.item == item) &&
                           event.at >= since;
                  }));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, Lists, testing::ValuesIn(store_kinds()), name_of_kind);

}  // namespace
}  // namespace pawl::driving
