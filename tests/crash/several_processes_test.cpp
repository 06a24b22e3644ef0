/// Several processes, at once and one after the other, on one file.

#include <fstream>
#include <map>

#include <gmock/gmock.h>

#include "crash/crash_program.hpp"
#include "crash/processes.hpp"
#include "pawl/store/dead_letters.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/store/verify.hpp"

namespace pawl::crash {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

const Marks no_marks("");

Result<std::shared_ptr<Store>> open(const std::string& path) {
  return open_sqlite_store({.path = path, .durability = SqliteOptions::Durability::normal});
}

JobId submit(Store& store, const Program& program, int count) {
  std::vector<NewItem> items;
  for (int i = 0; i < count; ++i) {
    items.push_back({.key = "item-" + std::to_string(i), .data = Json(i)});
  }
  return store.submit({.workflow = program.workflow()}, {.items = items, .close = true})->job.id;
}

void expect_clean(Store& store) {
  const Result<Verification> checked = verify(store.records(), {});
  ASSERT_TRUE(checked) << checked.error().text();
  for (const Violation& one : checked->violations) {
    ADD_FAILURE() << one.invariant << ": " << one.message;
  }
}

/// An operator's process: pauses, resumes, cancels items and answers every review until all jobs
/// have ended. A refusal is a valid answer; only a store that does not answer is a fault.
int act_until_all_ended(const std::string& path) {
  const auto store = open(path);
  if (!store) return 2;
  Records& records = (*store)->records();
  bool unavailable = false;
  const auto act = [&](const Act& one) {
    const Result<Job> done = (*store)->act(one);
    if (done || done.error().code != ErrorCode::unavailable) return;
    std::cerr << done.error().text() << "\n";
    unavailable = true;
  };
  for (int round = 0;; ++round) {
    const auto jobs = records.jobs({.ended = false});
    if (!jobs) return 3;
    if (jobs->empty()) break;
    for (const Job& job : *jobs) {
      if (round % 4 == 0) act(PauseJob{job.id});
      std::this_thread::sleep_for(3ms);  // waits: lets the workers run into the pause
      act(ResumeJob{job.id});
      const auto items = records.items({.job = job.id, .state = ItemState::active, .limit = 1});
      if (!items) return 4;
      if (round % 16 == 5 && !items->empty()) act(CancelItem{items->front().id});
      const auto reviews = records.reviews({.job = job.id, .status = ReviewStatus::open});
      if (!reviews) return 5;
      for (const Review& review : *reviews) {
        act(AnswerReview{review.id, {.reviewer = "eve", .digest = review.digest}});
      }
    }
    if (unavailable) return 6;
  }
  return 0;
}

/// Reads the log by cursor while others commit, until it is told that they are done.
int follow_the_log(const std::string& path, const std::string& into, const std::string& done) {
  const auto store = open(path);
  if (!store) return 2;
  std::ofstream out(into);
  EventFilter filter{.limit = 50};
  for (;;) {
    const bool is_last = std::filesystem::exists(done);
    const auto page = (*store)->records().events(filter);
    if (!page) return 3;
    for (const Event& event : *page) out << event.seq << "\n";
    if (!page->empty()) filter.after = page->back().seq;
    if (page->empty() && is_last) return out.flush() ? 0 : 4;
    if (page->empty()) std::this_thread::sleep_for(1ms);  // waits: a reader that polls
  }
}

TEST(SeveralProcesses, two_workers_an_operator_and_a_reader_work_on_one_file) {
  const Folder folder;
  const std::string path = folder / "store.db";
  const std::string marks = folder / "marks";
  std::vector<JobId> jobs;
  {
    const auto store = *open(path);
    jobs = {submit(*store, steady_program(no_marks), 80),
            submit(*store, reviewed_program(no_marks), 80)};
  }
  // The job with reviews waits for reviewers sometimes, so a worker may exit early; it is started
  // again.
  const auto work = [&] {
    for (;;) {
      if (const int code = Process::worker(path, marks).wait(); code != 0) return code;
      const auto store = open(path);
      if (!store) return 7;
      const auto left = (*store)->records().jobs({.ended = false});
      if (!left) return 8;
      if (left->empty()) return 0;
    }
  };
  Process one = Process::of(work);
  Process two = Process::of(work);
  Process reader =
      Process::of([&] { return follow_the_log(path, folder / "seen", folder / "done"); });
  Process operator_ = Process::of([&] { return act_until_all_ended(path); });
  EXPECT_EQ(operator_.wait(), 0);
  EXPECT_EQ(one.wait(), 0);
  EXPECT_EQ(two.wait(), 0);
  std::ofstream(folder / "done").flush();
  EXPECT_EQ(reader.wait(), 0);

  // Between the start and the end of a task, no other worker has started it.
  std::map<std::string, std::string> running;
  std::ifstream lines(marks);
  std::string what;
  std::string task;
  std::string attempt;
  int executions = 0;
  while (lines >> what >> task >> attempt) {
    if (what == "S") {
      ++executions;
      EXPECT_TRUE(running.emplace(task, attempt).second)
          << "task " << task << " was started as attempt " << attempt << " while attempt "
          << running[task] << " was running";
    } else {
      EXPECT_EQ(running[task], attempt);
      running.erase(task);
    }
  }
  EXPECT_TRUE(running.empty());
  const auto store = *open(path);
  expect_clean(*store);
  std::int64_t opened = 0;
  for (const JobId job : jobs) {
    EXPECT_TRUE(store->records().job(job)->has_ended());
    opened += store->records().job(job)->attempts_opened;
  }
  std::cout << "executions: " << executions << ", attempts opened: " << opened << std::endl;

  std::vector<EventSeq> all;
  const std::vector<Event> events = *store->records().events({.limit = 1'000'000});
  for (const Event& event : events) all.push_back(event.seq);
  std::vector<EventSeq> seen;
  std::ifstream followed(folder / "seen");
  for (EventSeq seq = 0; followed >> seq;) seen.push_back(seq);
  const auto differ = std::ranges::mismatch(seen, all);
  EXPECT_EQ(seen.size(), all.size()) << "every event once";
  EXPECT_TRUE(differ.in1 == seen.end() && differ.in2 == all.end())
      << "in order, as far as event " << differ.in1 - seen.begin();
}

TEST(SeveralProcesses, the_failures_of_an_item_are_numbered_on_across_three_of_them) {
  const Folder folder;
  const std::string path = folder / "store.db";
  const auto retry = [&] {
    return Process::of([&] {
             const auto store = open(path);
             if (!store) return 2;
             const auto done = retry_dead_letters(**store, {.all = true}, {.by = "eve"});
             return done && done->done == 1 ? 0 : 3;
           })
        .wait();
  };
  const JobId job = submit(**open(path), doomed_program(no_marks), 1);
  ASSERT_EQ(Process::worker(path).wait(), 0);
  ASSERT_EQ(retry(), 0);
  ASSERT_EQ(Process::worker(path).wait(), 0);
  ASSERT_EQ(retry(), 0);
  ASSERT_EQ(Process::worker(path).wait(), 0);

  const auto store = *open(path);
  const DeadLetterPage page = *list_dead_letters(*store, {});
  ASSERT_THAT(page.letters, SizeIs(1));
  const DeadLetter letter = *show_dead_letter(*store, page.letters[0].task);
  EXPECT_EQ(letter.failure_count, 3U);
  std::vector<AttemptNumber> numbers;
  const std::vector<Attempt> attempts = *store->records().attempts(letter.task);
  for (const Attempt& one : attempts) numbers.push_back(one.number);
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
  EXPECT_EQ(store->records().job(job)->dead_letters, 1);
  expect_clean(*store);
}

TEST(SeveralProcesses, what_a_reviewer_edited_reaches_the_next_stage_after_a_restart) {
  const Folder folder;
  const std::string path = folder / "store.db";
  const JobId job = submit(**open(path), reviewed_program(no_marks), 1);
  ASSERT_EQ(Process::worker(path).wait(), 0) << "it leaves when only a person is left";
  const Json edited = Json::object({{"stage", "draft"}, {"text", "as the reviewer wants it"}});
  ASSERT_EQ(Process::of([&] {
              const auto store = open(path);
              if (!store) return 2;
              const auto reviews = (*store)->records().reviews({.job = job});
              if (!reviews || reviews->size() != 1) return 3;
              return (*store)->act(AnswerReview{reviews->front().id,
                                                {.outcome = ReviewOutcome::approve_with_edits,
                                                 .reviewer = "eve",
                                                 .edits = edited}})
                         ? 0
                         : 4;
            }).wait(),
            0);
  ASSERT_EQ(Process::worker(path).wait(), 0);
  const auto store = *open(path);
  const ItemId item = store->records().item(job, "item-0")->id;
  const StageOutput published = *store->records().output(task_id(item, StageIndex{1}));
  EXPECT_EQ(published.output, Json::object({{"published", edited}, {"edited", true}}));
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  expect_clean(*store);
}

}  // namespace
}  // namespace pawl::crash
