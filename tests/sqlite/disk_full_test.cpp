/// A full disk: nothing is acknowledged, nothing is lost, and work continues by itself.

#include <csignal>
#include <filesystem>

#include <sys/resource.h>

#include "sqlite/faults.hpp"
#include "sqlite/fixture.hpp"

namespace pawl::sqlite {
namespace {

std::vector<NewItem> large_items(int first, int count) {
  std::vector<NewItem> items(static_cast<std::size_t>(count));
  for (NewItem& item : items) {
    item.key = "large-" + std::to_string(first++);
    item.data = Json(std::string(4'000, 'x'));
  }
  return items;
}

TEST(DiskFull, a_write_that_does_not_fit_changes_nothing_and_the_store_stays_usable) {
  const Folder folder;
  const Workflow workflow = two_stages();
  const auto store = must_open({.path = folder / "a.db", .bytes_max = 1'000'000});
  const Job job = store->create_job({.workflow = workflow}).value();
  const auto too_many = large_items(0, 1'000);
  const auto refused = store->add_items({.job = job.id, .items = too_many});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_THAT(refused.error().text(), testing::HasSubstr("the disk is full"));
  EXPECT_THAT(refused.error().text(), testing::HasSubstr("pawl then continues by itself"));
  EXPECT_EQ(store->records().job(job.id)->items.total, 0);
  EXPECT_TRUE(store->records().items({.job = job.id})->empty());

  const auto few = large_items(0, 10);
  EXPECT_EQ(store->add_items({.job = job.id, .items = few})->added, 10);
  EXPECT_EQ(store->records().job(job.id)->items.total, 10);
}

/// Found by the crash-point sweep with a disk without room for a name: SQLite only reports that it
/// could not open a file, and the message blamed permissions whatever the reason.
TEST(DiskFull, what_sqlite_could_not_open_is_told_by_what_is_in_the_way) {
  const Folder folder;
  const DbError said(SQLITE_CANTOPEN, "unable to open database file");
  const Error passed = error_of(said, folder / "a.db");
  EXPECT_EQ(passed.code, ErrorCode::unavailable);
  EXPECT_THAT(passed.text(), testing::HasSubstr("try again"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "looking leaves nothing behind";

  EXPECT_EQ(error_of(said, folder / "missing/a.db").code, ErrorCode::refused);
  std::filesystem::create_directory(folder / "b.db-wal");
  EXPECT_EQ(error_of(said, folder / "b.db").code, ErrorCode::refused);
}

/// The error of the operating system itself, caused by a limit on the size of files.
TEST(DiskFull, goes_on_when_the_operating_system_gives_space_again) {
  const Folder folder;
  const int code = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const auto store = open_sqlite_store({.path = folder / "a.db"});
    if (!store) return 1;
    const Result<Job> job = (*store)->create_job({.workflow = two_stages()});
    if (!job) return 2;
    const auto first = large_items(0, 20);
    if (!(*store)->add_items({.job = job->id, .items = first})) return 3;

    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 512 * 1024;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto more = large_items(20, 500);
    const auto refused = (*store)->add_items({.job = job->id, .items = more});
    if (refused || refused.error().code != ErrorCode::unavailable) return 4;
    const auto payload = (*store)->keep_payload(std::string(1'000'000, 'p'));
    if (payload || payload.error().code != ErrorCode::unavailable) return 5;
    if ((*store)->records().job(job->id)->items.total != 20) return 6;

    limit.rlim_cur = RLIM_INFINITY;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    if (!(*store)->add_items({.job = job->id, .items = more})) return 7;
    if (!(*store)->keep_payload(std::string(1'000'000, 'p'))) return 8;
    return (*store)->records().job(job->id)->items.total == 520 ? 0 : 9;
  });
  EXPECT_EQ(code, 0);
  const auto store = must_open({.path = folder / "a.db"});
  EXPECT_EQ(store->records().items({.job = JobId{1}, .limit = 1'000})->size(), 520u);
}

}  // namespace
}  // namespace pawl::sqlite
