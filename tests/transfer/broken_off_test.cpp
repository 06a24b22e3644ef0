/// An import that dies half way: no part of the job runs, and the next import continues it.

#include <gmock/gmock.h>

#include "contract/store_kinds.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/store/arrival.hpp"
#include "transfer/busy_job.hpp"
#include "transfer/mortal_store.hpp"
#include "transfer/story.hpp"

namespace pawl::driving {
namespace {

using testing::HasSubstr;

class BrokenOff : public testing::TestWithParam<StoreKind> {
 protected:
  /// The number of pieces of an import.
  static int pieces(const std::string& file) {
    Drive drive(GetParam());
    MortalStore store(drive.store());
    store.lives = 1'000'000;
    (void)imported(store, file);
    return 1'000'000 - store.lives;
  }

  Drive from{store_kinds()[0]};
};

INSTANTIATE_TEST_SUITE_P(Stores, BrokenOff, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(BrokenOff, an_import_goes_on_wherever_the_one_before_died) {
  const JobId job = busy_job(from);
  const std::string file = exported(from.records(), job);
  const int all = pieces(file);
  ASSERT_GT(all, 10);
  for (const bool is_written : {false, true}) {
    for (int lives = 0; lives < all && !HasFailure(); ++lives) {
      SCOPED_TRACE(std::to_string(lives) + (is_written ? " and one unknown" : ""));
      Drive to(GetParam());
      MortalStore store(to.store());
      store.lives = lives;
      store.dies_after_it = is_written;
      ASSERT_FALSE(import_text(store, file));
      const bool was_ended = is_written && lives + 1 == all;
      const Result<Imported> again = import_text(to.store(), file);
      if (was_ended) {
        ASSERT_FALSE(again);
        EXPECT_THAT(again.error().text(), HasSubstr("was imported already: it is job 1"));
        to.expect_sound();
        continue;
      }
      ASSERT_TRUE(again) << again.error().text();
      EXPECT_EQ(again->went_on, lives > 0 || is_written);
      EXPECT_TRUE(again->released);
      EXPECT_EQ(to.records().jobs({})->size(), 1U);
      expect_moved(from.records(), job, to.records(), *again);
      to.expect_sound();
    }
  }
}

TEST_P(BrokenOff, nothing_of_a_job_moves_before_it_is_whole) {
  const JobId job = busy_job(from);
  EXPECT_TRUE(from.act(ResumeJob{job}));
  EXPECT_TRUE(from.act(Rerun{.task = from.task_of(job, "dead")}));  // one task is ready
  EXPECT_TRUE(from.act(PauseJob{job}));
  const std::string file = exported(from.records(), job);
  const int all = pieces(file);
  const std::int64_t due_line =
      std::ranges::count(file.substr(0, file.find("{\"due\":")), '\n') + 1;
  std::int64_t moved_by_time = 0;
  for (int lives = 1; lives < all && !HasFailure(); ++lives) {
    SCOPED_TRACE(lives);
    Drive to(GetParam());
    to.clock().advance(48h);  // retries and answers are long overdue
    MortalStore store(to.store());
    store.lives = lives;
    ASSERT_FALSE(import_text(store, file));
    const JobId half = to.records().jobs({})->front().id;
    EXPECT_TRUE(is_arriving(to.job(half)));
    EXPECT_EQ(to.claim().size(), 0U);
    for (const Act& act :
         std::vector<Act>{ResumeJob{half}, ReviveJob{half, {}}, SetBudget{half, {}},
                          ReopenSubmission{half}, PauseJob{half}, TrustJob{half, "eve"}}) {
      const Result<Job> done = to.act(act);
      ASSERT_FALSE(done);
      EXPECT_THAT(done.error().text(), HasSubstr("still being imported"));
    }
    const auto reviews = *to.records().reviews({.job = half, .limit = 100});
    for (const Review& review : reviews) {
      EXPECT_FALSE(to.act(AnswerReview{review.id, {.reviewer = "eve"}}));
    }
    const std::vector<NewItem> items{{.key = "new"}};
    EXPECT_FALSE(to.store().add_items({.job = half, .items = items}));
    std::ostringstream out;
    EXPECT_FALSE(export_job(to.records(), half, out));

    // Time may change waiting rows only when the import is complete; then it is like any paused
    // job.
    const Swept swept = *to.store().sweep({.self = to.worker()});
    if (swept.woken + swept.answered > 0) {
      EXPECT_GT(arrival_of(to.job(half))->lines, due_line);
    }
    moved_by_time += swept.woken + swept.answered;
    const Imported whole = imported(to.store(), file);
    EXPECT_TRUE(whole.went_on);
    to.expect_sound();
    finish(to, half);
    EXPECT_TRUE(to.job(half).has_ended());
    to.expect_sound();
  }
  EXPECT_GT(moved_by_time, 0) << "a sweep between the last pieces finds what is due";
}

TEST_P(BrokenOff, a_second_import_of_the_same_export_at_the_same_time_is_told) {
  const std::string file = exported(from.records(), busy_job(from));
  Drive to(GetParam());
  MortalStore store(to.store());
  store.lives = 3;
  ASSERT_FALSE(import_text(store, file));
  const Arriving at = *arrival_of(to.records().jobs({})->front());
  const Result<Arriving> late = to.store().receiver().receive(
      AddArrival{.job = at.job, .from_line = at.lines - 1, .to_line = at.lines, .records = {}});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::conflict);
}

TEST_P(BrokenOff, an_import_that_was_broken_off_can_be_cancelled_and_leaves_no_records) {
  NewJob about{.workflow = busy_workflow(), .key = "monday"};
  const JobId job = busy_job(from, about);
  const std::string file = exported(from.records(), job);
  const int all = pieces(file);
  for (int lives = 1; lives < all && !HasFailure(); ++lives) {
    SCOPED_TRACE(lives);
    Drive to(GetParam());
    const JobId other = to.submit(busy_workflow(), {"mine"});
    MortalStore store(to.store());
    store.lives = lives;
    ASSERT_FALSE(import_text(store, file));
    const JobId half = to.records().jobs({})->front().id;
    ASSERT_TRUE(is_arriving(to.job(half)));

    const Result<Job> cancelled = to.act(CancelJob{half});
    ASSERT_TRUE(cancelled) << cancelled.error().text();
    const Job after = to.job(half);
    EXPECT_EQ(state_of(after), JobState::cancelled);
    EXPECT_TRUE(after.has_ended());
    EXPECT_FALSE(is_arriving(after));
    EXPECT_EQ(after.trust, Trust::abandoned);
    EXPECT_EQ(after.items, ItemCounts{});
    EXPECT_EQ(to.records().items({.job = half, .limit = 10})->size(), 0U);
    EXPECT_EQ(to.records().tasks({.job = half, .limit = 10})->size(), 0U);
    EXPECT_EQ(to.records().reviews({.job = half, .limit = 10})->size(), 0U);
    EXPECT_EQ(to.records().items({.job = other, .limit = 10})->size(), 1U) << "others keep theirs";
    to.expect_sound();
    EXPECT_FALSE(to.act(ResumeJob{half}));
    EXPECT_FALSE(to.act(TrustJob{half, "eve"}));
    EXPECT_FALSE(to.act(CancelJob{half})) << "it has ended";

    // Its key is free, and the same file can be imported again from the start.
    const Imported again = imported(to.store(), file);
    EXPECT_FALSE(again.went_on);
    EXPECT_NE(again.job.id, half);
    EXPECT_EQ(again.job.key, "monday");
    expect_moved(from.records(), job, to.records(), again);
    to.expect_sound();
  }
}

TEST_P(BrokenOff, an_import_is_not_gone_on_with_by_another_file_of_the_same_name) {
  const JobId job = busy_job(from);
  const std::string file =
      exported(from.records(), job, {.page = 7, .export_id = "e1", .at = from.clock().now()});
  const std::string other =
      exported(from.records(), job, {.page = 7, .export_id = "e1", .at = from.clock().now() + 1s});
  ASSERT_NE(file, other);
  Drive to(GetParam());
  MortalStore store(to.store());
  store.lives = 4;
  ASSERT_FALSE(import_text(store, file));
  const Result<Imported> mixed = import_text(to.store(), other);
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, ErrorCode::conflict);
  EXPECT_THAT(mixed.error().text(), HasSubstr("begun with another file"));
  EXPECT_THAT(mixed.error().text(), HasSubstr("pawl job cancel 1"));
  EXPECT_TRUE(imported(to.store(), file).went_on);
}

TEST_P(BrokenOff, records_that_break_a_promise_are_brought_in_and_not_released) {
  const JobId job = busy_job(from);
  std::string file = exported(from.records(), job);
  // A correct digest over an attempt with a forged decision.
  const std::string rule = "\"rule\":\"final_error\"";
  const std::size_t at = file.find(rule);
  ASSERT_NE(at, std::string::npos);
  file.replace(at, rule.size(), "\"rule\":\"exhausted_fails\"");
  const std::size_t last = file.rfind("{\"end\":");
  const std::size_t digest = file.rfind("\"sha256\":\"") + 10;
  file.replace(digest, 64, sha256_hex(std::string_view(file).substr(0, last)));
  Drive to(GetParam());
  const Result<Imported> taken = import_text(to.store(), file);
  ASSERT_TRUE(taken) << taken.error().text();
  EXPECT_FALSE(taken->released);
  EXPECT_EQ(taken->verified.violation_count, 1);
  EXPECT_EQ(taken->verified.violations.front().invariant, "I6");
  EXPECT_FALSE(to.act(ResumeJob{taken->job.id}));
}

}  // namespace
}  // namespace pawl::driving
