/// Lists that have no index of their own.

#include "sqlite/fixture.hpp"

namespace pawl::sqlite {
namespace {

TEST(Records, the_events_of_an_item_are_found_among_many) {
  const Folder folder;
  ManualClock clock;
  const Workflow workflow = two_stages();
  const auto store =
      must_open({.path = folder / "a.db", .durability = SqliteOptions::Durability::normal}, clock);
  BatchNumber batch = 0;
  const WorkerId worker = enlist(*store);
  const Job first = submit(*store, workflow, 1'500);
  const Job second = submit(*store, workflow, 1'500);
  work_off(*store, workflow, worker, batch);

  // By reading everything, which needs no zones.
  std::vector<Event> all;
  for (;;) {
    const auto page = store->records().events({.after = all.empty() ? 0 : all.back().seq}).value();
    if (page.empty()) break;
    all.insert(all.end(), page.begin(), page.end());
  }
  ASSERT_GT(all.back().seq / 16, 3'000);
  const auto chosen = [&](const auto& fits) {
    std::vector<Event> some;
    for (const Event& event : all) {
      if (fits(event)) some.push_back(event);
    }
    return some;
  };
  for (const ItemId item : {ItemId{1}, ItemId{1'000}, ItemId{1'501}, ItemId{3'000}}) {
    const auto expected = chosen([&](const Event& event) { return event.item == item; });
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(store->records().events({.item = item}).value(), expected);
  }
  for (const JobId job : {first.id, second.id}) {
    std::vector<Event> listed;
    for (;;) {
      const auto page =
          store->records()
              .events({.job = job, .after = listed.empty() ? 0 : listed.back().seq, .limit = 777})
              .value();
      if (page.empty()) break;
      listed.insert(listed.end(), page.begin(), page.end());
    }
    EXPECT_EQ(listed, chosen([&](const Event& event) { return event.job == job; }));
  }
}

TEST(Records, rows_of_the_journal_are_dense_and_none_is_lost_to_a_rollback) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const Job job = submit(*store, two_stages(), 2);
  EXPECT_FALSE(store->add_items({.job = JobId{99}}));
  ASSERT_TRUE(store->act(PauseJob{job.id}));
  ASSERT_TRUE(store->act(ResumeJob{job.id}));
  EventSeq row = 0;
  const std::vector<Event> events = store->records().events({}).value();
  for (const Event& event : events) {
    EXPECT_LE(event.seq / 16, row + 1);
    row = event.seq / 16;
  }
  EXPECT_GE(row, 3);
}

TEST(Records, tasks_and_items_of_a_job_are_found_between_those_of_another) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const Workflow workflow = two_stages();
  const Job one = store->create_job({.workflow = workflow}).value();
  const Job two = store->create_job({.workflow = workflow}).value();
  const Job empty = store->create_job({.workflow = workflow}).value();
  for (int i = 0; i < 5; ++i) {
    for (const JobId job : {one.id, two.id}) {
      std::vector<NewItem> item(1);
      item[0].key = "k" + std::to_string(i);
      ASSERT_TRUE(store->add_items({.job = job, .items = item}));
    }
  }
  for (const JobId job : {one.id, two.id}) {
    const auto items = store->records().items({.job = job}).value();
    EXPECT_EQ(items.size(), 5u);
    for (const Item& item : items) EXPECT_EQ(item.job, job);
    for (const auto& state : {std::optional<StateKind>{}, std::optional(StateKind::ready)}) {
      const auto tasks = store->records().tasks({.job = job, .state = state}).value();
      EXPECT_EQ(tasks.size(), 5u);
      for (const Task& task : tasks) EXPECT_EQ(task.job, job);
    }
    EXPECT_EQ(store->records().tasks({.job = job, .limit = 2})->size(), 2u);
  }
  EXPECT_TRUE(store->records().items({.job = empty.id})->empty());
  EXPECT_TRUE(store->records().items({.job = JobId{99}})->empty());
  EXPECT_TRUE(store->records().tasks({.job = JobId{99}})->empty());
  EXPECT_EQ(store->records().tasks({})->size(), 10u);
}

TEST(Records, dead_letters_of_all_jobs_come_in_pages_by_id) {
  const Folder folder;
  ManualClock clock;
  const Workflow workflow = two_stages();
  const auto store = must_open({.path = folder / "a.db"}, clock);
  const WorkerId worker = enlist(*store);
  for (int i = 0; i < 3; ++i) (void)submit(*store, workflow, 4);
  std::vector<Step> steps;
  for (const Claimed& claimed : claim(*store, worker, 10)) {
    Attempt closed;
    closed.started_at = closed.ended_at = clock.now();
    closed.result = AttemptResult::failure;
    closed.error = StageError{.error_class = ErrorClass::final, .message = "broken"};
    steps.push_back(close(workflow.stage(StageIndex{}), claimed.task, std::move(closed)));
  }
  ASSERT_TRUE(store->commit(worker, 1, steps));
  std::vector<TaskId> listed;
  for (;;) {
    const auto page = store->records()
                          .tasks({.state = StateKind::failed,
                                  .discarded = false,
                                  .after = listed.empty() ? TaskId{} : listed.back(),
                                  .limit = 5})
                          .value();
    if (page.empty()) break;
    for (const Task& task : page) listed.push_back(task.id);
  }
  EXPECT_EQ(listed.size(), 12u);
  EXPECT_TRUE(std::ranges::is_sorted(listed));
  EXPECT_TRUE(store->records().tasks({.discarded = true})->empty());
}

}  // namespace
}  // namespace pawl::sqlite
