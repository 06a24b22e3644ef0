/// A commit whose outcome only the disk knows.

#include "sqlite/faulty_disk.hpp"
#include "sqlite/fixture.hpp"

namespace pawl::sqlite {
namespace {

class UnknownCommit : public testing::Test {
 protected:
  UnknownCommit() {
    store = must_open({.path = folder / "a.db"});
    job = submit(*store, workflow, 3);
    worker = enlist(*store);
    held = claim(*store, worker, 3);
  }
  std::vector<Step> step_of(std::size_t n) const {
    return {success(workflow, held[n].task, store->now())};
  }

  FaultyDisk disk;
  Folder folder;
  Workflow workflow = two_stages();
  std::shared_ptr<Store> store;
  Job job;
  WorkerId worker;
  std::vector<Claimed> held;
};

TEST_F(UnknownCommit, is_made_certain_and_told_truly) {
  ASSERT_TRUE(store->commit(worker, 1, step_of(0)));
  FaultyDisk::syncs_to_fail = 1;
  const auto failed = store->commit(worker, 2, step_of(1));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::unavailable);

  const bool says_written = failed.error().message.ends_with("; the batch was written");
  const bool says_not = failed.error().message.ends_with("; nothing was written");
  EXPECT_NE(says_written, says_not) << failed.error().message;
  const BatchNumber last = store->records().worker(worker)->last_batch;
  EXPECT_EQ(last == 2, says_written);
  const Task task = store->records().task(held[1].task.id).value();
  EXPECT_EQ(task.kind() == StateKind::succeeded, says_written);

  // What is certain stays so for every reader, and the store continues to work.
  const auto again = store->commit(worker, 3, step_of(says_written ? 2 : 1));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->steps.at(0).outcome, StepOutcome::applied);
  const auto other = must_open({.path = folder / "a.db"});
  EXPECT_EQ(other->records().worker(worker)->last_batch, 3);
}

TEST_F(UnknownCommit, stays_open_while_the_disk_is_silent_and_the_next_write_ends_it) {
  FaultyDisk::syncs_to_fail = 1'000;
  const auto failed = store->commit(worker, 1, step_of(0));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::unavailable);
  EXPECT_THAT(failed.error().message, testing::HasSubstr("when the disk works again"));
  EXPECT_FALSE(store->renew(worker));

  FaultyDisk::syncs_to_fail = 0;
  ASSERT_TRUE(store->renew(worker));
  const bool was_written = store->records().worker(worker)->last_batch == 1;
  const auto again = store->commit(worker, 2, step_of(0));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->steps.at(0).outcome, was_written ? StepOutcome::fenced : StepOutcome::applied);
}

TEST_F(UnknownCommit, leaves_no_doubt_after_a_restart) {
  FaultyDisk::syncs_to_fail = 1;
  ASSERT_FALSE(store->commit(worker, 1, step_of(0)));
  const BatchNumber told = store->records().worker(worker)->last_batch;
  store.reset();
  const auto reopened = must_open({.path = folder / "a.db"});
  EXPECT_EQ(reopened->records().worker(worker)->last_batch, told);
}

}  // namespace
}  // namespace pawl::sqlite
