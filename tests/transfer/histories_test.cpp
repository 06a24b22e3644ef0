/// Random histories are moved from one kind of store to another and back: the records are the same,
/// every invariant holds, and both jobs end in the same way. PAWL_SEED=n replays one.

#include <cstdlib>

#include "contract/store_kinds.hpp"
#include "pawl/store/arrival.hpp"
#include "transfer/moved.hpp"
#include "transfer/story.hpp"

namespace pawl::driving {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// What the moved jobs contained, so that a change of the random choices does not silently lose
/// coverage.
struct Seen {
  int adopted = 0;
  int children = 0;
  int job_wide = 0;
  int edited = 0;
  int retries = 0;
  int waiting_answers = 0;
  int dead_letters = 0;
  int ended = 0;

  void look_at(Records& records, JobId id) {
    const Job job = *records.job(id);
    adopted += job.items.adopted > 0 ? 1 : 0;
    dead_letters += job.dead_letters > 0 ? 1 : 0;
    ended += job.has_ended() ? 1 : 0;
    const auto tasks = *records.tasks({.job = id, .limit = 1'000});
    for (const Task& task : tasks) {
      children += task.child ? 1 : 0;
      job_wide += task.item ? 0 : 1;
      retries += task.kind() == StateKind::retry_scheduled ? 1 : 0;
      const auto* succeeded = std::get_if<Succeeded>(&task.state);
      edited += succeeded != nullptr && succeeded->edited_by ? 1 : 0;
    }
    waiting_answers += static_cast<int>(
        records.reviews({.job = id, .status = ReviewStatus::answered, .limit = 1'000})->size());
  }
};

void move_there_and_back(const StoreKind& one, const StoreKind& other, std::uint64_t seed,
                         Seen& seen) {
  Story story(one, seed);
  for (int step = 0; step < 60; ++step) story.step();
  story.come_to_a_stand();
  Drive& home = story.drive();
  for (const JobId job : story.jobs()) {
    if (testing::Test::HasFailure()) return;
    SCOPED_TRACE("job " + std::to_string(job.value()));
    seen.look_at(home.records(), job);
    const std::string file = exported(home.records(), job);
    Drive away(other);
    away.clock().advance_to(home.clock().now());
    // Other jobs were here before, so that every id changes.
    away.submit(workflow("random", {stage("a")}), {"x", "y", "z"});
    const Imported there = imported(away.store(), file);
    expect_moved(home.records(), job, away.records(), there);
    expect_clean(away.records(), "away");

    Drive back(one);
    back.clock().advance_to(home.clock().now());
    const Imported here = imported(back.store(), exported(away.records(), there.job.id));
    expect_clean(back.records(), "back");
    ASSERT_EQ(move_of(here.job)->shifts.size(), 2U);
    expect_same(records_of(home.records(), job),
                records_of(back.records(), here.job.id, move_of(here.job)->shifts.back()));

    const bool was_cancelled = home.job(job).cancelled.has_value();
    finish(away, there.job.id);
    finish(back, here.job.id);
    finish(home, job);
    // A cancelled job leaves its tasks as they were at that time, which depends on rates.
    if (was_cancelled || !home.job(job).cancelled) {
      EXPECT_EQ(ending_of(away.records(), there.job.id), ending_of(home.records(), job));
      EXPECT_EQ(ending_of(back.records(), here.job.id), ending_of(home.records(), job));
    } else {
      EXPECT_EQ(away.job(there.job.id).cancelled, home.job(job).cancelled);
      EXPECT_EQ(back.job(here.job.id).cancelled, home.job(job).cancelled);
    }
    expect_clean(away.records(), "away, at the end");
    expect_clean(back.records(), "back, at the end");
  }
}

TEST(MovedHistories, are_the_same_elsewhere_and_come_to_the_same_end) {
  const bool replays = std::getenv("PAWL_SEED") != nullptr;
  const std::uint64_t first = number_from("PAWL_SEED", 1);
  const std::uint64_t last = replays ? first : number_from("PAWL_SEEDS", 120);
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  const std::vector<StoreKind> kinds = store_kinds();
  Seen seen;
  for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    SCOPED_TRACE("replay with PAWL_SEED=" + std::to_string(seed));
    // One in four involves PostgreSQL, because creating its schemas takes long.
    StoreKind one = kinds[seed % 4 == 0 ? seed / 4 % 2 : seed % 2];
    StoreKind other = seed % 4 == 0 ? kinds[2] : kinds[(seed + 1) % 2];
    if (seed % 3 == 0) std::swap(one, other);
    move_there_and_back(one, other, seed, seen);
  }
  if (replays || HasFailure()) return;
  EXPECT_GT(seen.adopted, 0);
  EXPECT_GT(seen.children, 0);
  EXPECT_GT(seen.job_wide, 0);
  EXPECT_GT(seen.edited, 0);
  EXPECT_GT(seen.retries, 0);
  EXPECT_GT(seen.waiting_answers, 0);
  EXPECT_GT(seen.dead_letters, 0);
  EXPECT_GT(seen.ended, 0);
}

}  // namespace
}  // namespace pawl::driving
