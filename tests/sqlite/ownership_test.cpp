/// The owner of a store: files that others could write to are refused, new files are private, and a
/// lock that is held too long ends in an error that names the holder.

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "files/private_files.hpp"
#include "files/trusted_path.hpp"
#include "sqlite/db.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/paths.hpp"
#include "sqlite/turnstile.hpp"

namespace pawl::sqlite {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr uid_t nobody = 65'534;

mode_t mode_of(const std::filesystem::path& path) {
  struct stat found{};
  return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
}

void expect_refused(const std::filesystem::path& store, const std::filesystem::path& named,
                    const std::string& why) {
  const auto opened = open_sqlite_store({.path = store});
  ASSERT_FALSE(opened) << why;
  EXPECT_EQ(opened.error().code, ErrorCode::refused);
  EXPECT_THAT(opened.error().message,
              AllOf(HasSubstr("'" + named.string() + "' "), HasSubstr(why)));
  EXPECT_THAT(opened.error().help, HasSubstr("--trust-owner"));
}

TEST(Ownership, a_store_that_others_could_write_to_is_refused) {
  const Folder folder;
  const std::filesystem::path store = folder / "a.db";
  {
    const auto opened = must_open({.path = store});
    (void)enlist(*opened);
    ASSERT_TRUE(opened->keep_payload("bytes"));
  }
  for (const std::string name :
       {"a.db", "a.db.next", "a.db.writer", "a.db.blobs", "a.db.workers"}) {
    const mode_t before = mode_of(folder / name);
    ASSERT_EQ(::chmod((folder / name).c_str(), before | 0002U), 0) << name;
    expect_refused(store, folder / name, "can be written by other users");
    EXPECT_TRUE(open_sqlite_store({.path = store, .trust_owner = true})) << name;
    ASSERT_EQ(::chmod((folder / name).c_str(), before), 0);
  }
  for (const mode_t mode : {0777U, 01777U}) {
    ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
    expect_refused(store, folder.path(), "can be written by other users");
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_TRUE(open_sqlite_store({.path = store}));
}

TEST(Ownership, what_is_planted_beside_a_store_before_it_is_made_is_refused) {
  const Folder folder;
  for (const std::string_view suffix : {"-wal", "-journal", "-shm"}) {
    const std::filesystem::path planted = beside(folder / "a.db", suffix);
    write_file(planted, "");
    ASSERT_EQ(::chmod(planted.c_str(), 0666), 0);
    expect_refused(folder / "a.db", planted, "can be written by other users");
    EXPECT_FALSE(std::filesystem::exists(folder / "a.db"));
    std::filesystem::remove(planted);
  }
}

TEST(Ownership, a_store_of_another_user_is_refused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root to give files away";  // loud: the reason is printed
  const Folder folder;
  const std::filesystem::path store = folder / "in/a.db";
  std::filesystem::create_directory(folder / "in");
  (void)must_open({.path = store});
  for (const std::filesystem::path& given : {store, folder / "in", folder.path()}) {
    ASSERT_EQ(::chown(given.c_str(), nobody, nobody), 0);
    expect_refused(store, given, "belongs to another user (nobody)");
    EXPECT_TRUE(open_sqlite_store({.path = store, .trust_owner = true}));
    ASSERT_EQ(::chown(given.c_str(), 0, 0), 0);
  }
  EXPECT_TRUE(open_sqlite_store({.path = store}));
}

TEST(Ownership, a_user_opens_a_store_of_its_own_and_of_no_other_but_root) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root to be several users";  // loud: the reason is printed
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0711), 0);
  std::filesystem::create_directory(folder / "mine");
  ASSERT_EQ(::chown((folder / "mine").c_str(), nobody, nobody), 0);
  const auto as = [&](uid_t user) {
    return in_child([&] {
      if (::setgid(user) != 0 || ::setuid(user) != 0) return 2;
      const auto store = open_sqlite_store({.path = folder / "mine/a.db"});
      if (store) return 0;
      return store.error().message.find("belongs to another user") == std::string::npos ? 3 : 1;
    });
  };
  EXPECT_EQ(as(nobody), 0);
  EXPECT_EQ(as(12'345), 1);
}

TEST(Ownership, of_links_is_looked_at_and_of_what_they_lead_to) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root to give links away";  // loud: the reason is printed
  const Folder folder;
  std::filesystem::create_directory(folder / "real");
  (void)must_open({.path = folder / "real/a.db"});
  std::filesystem::create_directory_symlink("real", folder / "link");
  EXPECT_TRUE(files::check_trusted(folder / "link/a.db"));
  EXPECT_TRUE(files::check_trusted(folder / "link/../link/./a.db"));
  ASSERT_EQ(::lchown((folder / "link").c_str(), nobody, nobody), 0);
  EXPECT_FALSE(files::check_trusted(folder / "link/a.db")) << "the link is another's";
  ASSERT_EQ(::lchown((folder / "link").c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod((folder / "real").c_str(), 0777), 0);
  EXPECT_FALSE(files::check_trusted(folder / "link/a.db")) << "what it leads to is open to others";
}

TEST(Ownership, of_directories_above_counts_unless_nobody_can_rename_there) {
  const Folder folder;
  std::filesystem::create_directories(folder / "above/project");
  ASSERT_EQ(::chmod((folder / "above").c_str(), 0777), 0);
  const Status open = files::check_trusted(folder / "above/project");
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error().message, HasSubstr("'" + (folder / "above").string() + "' "));
  EXPECT_THAT(open.error().help, HasSubstr("chmod go-w '" + (folder / "above").string() + "'"));
  ASSERT_EQ(::chmod((folder / "above").c_str(), 01777), 0);
  EXPECT_TRUE(files::check_trusted(folder / "above/project")) << "as in /tmp";
  EXPECT_FALSE(files::check_trusted(folder / "above")) << "the last part is never shared";
  EXPECT_TRUE(files::check_trusted(folder / "above/missing/deeper"))
      << "to be made, and checked again";
}

TEST(Ownership, a_group_counts_by_its_members) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root to change groups";  // loud: the reason is printed
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0775), 0);
  EXPECT_TRUE(files::check_trusted(folder.path())) << "the group root has no other member";
  for (const gid_t group : {gid_t{65'534}, gid_t{987'654}}) {
    ASSERT_EQ(::chown(folder.path().c_str(), 0, group), 0);
    EXPECT_FALSE(files::check_trusted(folder.path())) << group;
  }
}

TEST(Ownership, root_by_sudo_trusts_its_caller) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";  // loud: the reason is printed
  const Folder folder;
  ASSERT_EQ(::chown(folder.path().c_str(), nobody, nobody), 0);
  const auto trusted_with = [&](const char* caller) {
    return in_child([&] {
      ::setenv("SUDO_UID", caller, 1);
      return files::check_trusted(folder.path()) ? 1 : 0;
    });
  };
  EXPECT_EQ(trusted_with("65534"), 1);
  for (const char* const other : {"", "1000", "65534x", "-1", " 65534"}) {
    EXPECT_EQ(trusted_with(other), 0) << other;
  }
}

TEST(Modes, of_everything_that_is_made_are_for_the_owner_whatever_the_umask) {
  for (const mode_t mask : {0000U, 0022U, 0577U}) {
    const Folder folder;
    const mode_t before = ::umask(mask);
    {
      const auto store = must_open({.path = folder / "a.db"});
      submit(*store, two_stages(), 3);
      (void)enlist(*store);
      EXPECT_TRUE(store->keep_payload("bytes"));
      write_file(folder / "source", "a file");
      ASSERT_EQ(::chmod((folder / "source").c_str(), 0600), 0);
      EXPECT_TRUE(store->keep_file(folder / "source"));
      for (const std::string name : {"a.db", "a.db-wal", "a.db-shm", "a.db.next", "a.db.writer"}) {
        EXPECT_EQ(mode_of(folder / name), 0600U) << name << " with umask " << mask;
      }
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
        EXPECT_EQ(mode_of(entry.path()) & 0077U, 0U) << entry.path() << " with umask " << mask;
        if (!entry.is_directory()) continue;
        EXPECT_EQ(mode_of(entry.path()), 0700U) << entry.path();
      }
    }
    ::umask(before);
  }
}

TEST(Modes, of_a_store_that_its_owner_has_opened_for_readers_stay_and_only_lose_write_access) {
  const Folder folder;
  {
    const auto store = must_open({.path = folder / "a.db"});
    (void)enlist(*store);
    EXPECT_TRUE(store->keep_payload("bytes"));
  }
  // The group is our own, so that it may write.
  for (const std::string_view suffix : store_suffixes) {
    const std::filesystem::path path = beside(folder / "a.db", suffix);
    if (!std::filesystem::exists(path)) continue;
    ASSERT_EQ(::chmod(path.c_str(), std::filesystem::is_directory(path) ? 0775 : 0664), 0);
  }
  (void)must_open({.path = folder / "a.db", .trust_owner = true});
  EXPECT_EQ(mode_of(folder / "a.db"), 0664U);
  (void)must_open({.path = folder / "a.db"});
  EXPECT_EQ(mode_of(folder / "a.db"), 0644U);
  EXPECT_EQ(mode_of(folder / "a.db.writer"), 0644U);
  EXPECT_EQ(mode_of(folder / "a.db.blobs"), 0755U);
  EXPECT_EQ(mode_of(folder / "a.db.workers"), 0755U);
}

TEST(Modes, of_a_file_that_is_not_a_store_stay_as_they_are) {
  const Folder folder;
  Connection(folder / "songs.db", Connection::Mode::create).run("CREATE TABLE songs (name TEXT)");
  ASSERT_EQ(::chmod((folder / "songs.db").c_str(), 0664), 0);
  EXPECT_FALSE(open_sqlite_store({.path = folder / "songs.db"}));
  EXPECT_EQ(mode_of(folder / "songs.db"), 0664U);
}

TEST(Modes, of_a_file_that_has_a_second_name_elsewhere_stay_as_they_are) {
  const Folder folder;
  const std::filesystem::path store = folder / "a.db";
  (void)must_open({.path = store});
  const std::filesystem::path other = folder / "elsewhere";
  std::filesystem::create_hard_link(folder / "a.db.next", other);
  ASSERT_EQ(::chmod(other.c_str(), 0664), 0);
  (void)must_open({.path = store});
  EXPECT_EQ(mode_of(other), 0664U);
}

/// Another process that holds the lock of a file until it is killed.
struct Keeper {
  explicit Keeper(const std::filesystem::path& path, int operation = LOCK_EX) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    pid = ::fork();
    if (pid == 0) {
      // A lock belongs to an opening, and the child inherits those of waits that were left: it
      // would wait for itself.
      constexpr int pipe_end = 3;
      if (ends[1] != pipe_end) ::dup2(ends[1], pipe_end);
      ::close_range(pipe_end + 1, ~0U, 0);
      const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      const char byte = ::flock(file, operation) == 0 ? 'y' : 'n';
      (void)!::write(pipe_end, &byte, 1);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    ::close(ends[0]);
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() { end(); }
  void end() {
    if (pid == 0) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    pid = 0;
  }

  pid_t pid = 0;
};

TEST(LockWaits, end_in_time_with_the_process_that_holds_the_lock) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db", .lock_timeout = 50ms});
  const WorkerId worker = enlist(*store);
  for (const std::string name : {"a.db.writer", "a.db.next"}) {
    for (const int operation : {LOCK_EX, LOCK_SH}) {
      Keeper keeper(folder / name, operation);
      const Status renewed = store->renew(worker);
      ASSERT_FALSE(renewed);
      EXPECT_EQ(renewed.error().code, ErrorCode::unavailable);
      EXPECT_THAT(renewed.error().message,
                  AllOf(HasSubstr((folder / name).string()), HasSubstr("50 ms"),
                        HasSubstr("process " + std::to_string(keeper.pid) + " (")));
      keeper.end();
      EXPECT_TRUE(store->renew(worker)) << "what was left behind holds nothing";
    }
  }
}

TEST(LockWaits, name_the_process_behind_another_that_waits) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db", .lock_timeout = 50ms});
  const WorkerId worker = enlist(*store);
  const Keeper writer(folder / "a.db.writer");
  const Keeper next(folder / "a.db.next");
  const Status renewed = store->renew(worker);
  ASSERT_FALSE(renewed);
  EXPECT_THAT(renewed.error().message, AllOf(HasSubstr("process " + std::to_string(writer.pid)),
                                             HasSubstr("process " + std::to_string(next.pid))));
}

TEST(LockWaits, of_an_opening_end_too) {
  const Folder folder;
  {
    std::ofstream(folder / "a.db");
  }
  (void)Turnstile(folder / "a.db");
  const Keeper keeper(folder / "a.db.writer");
  const auto store = open_sqlite_store({.path = folder / "a.db", .lock_timeout = 50ms});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::unavailable);
  EXPECT_THAT(store.error().message, HasSubstr("process " + std::to_string(keeper.pid)));
}

TEST(LockWaits, end_at_once_when_somebody_says_stop) {
  const Folder folder;
  std::atomic<bool> is_stopped = false;
  std::atomic<int> asked = 0;
  const auto store = must_open({.path = folder / "a.db", .lock_timeout = 1h, .is_interrupted = [&] {
                                  return ++asked > 0 && is_stopped;
                                }});
  const WorkerId worker = enlist(*store);
  const Keeper keeper(folder / "a.db.writer");
  const std::jthread person([&] {
    while (asked < 2) ::poll(nullptr, 0, 1);
    is_stopped = true;
  });
  const Status renewed = store->renew(worker);
  ASSERT_FALSE(renewed);
  EXPECT_THAT(renewed.error().message, AllOf(HasSubstr("stopped while waiting"),
                                             HasSubstr("process " + std::to_string(keeper.pid))));
}

TEST(LockWaits, for_locks_of_sqlite_end_in_time_with_the_process_that_holds_them) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db", .lock_timeout = 50ms});
  const WorkerId worker = enlist(*store);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    Connection connection(folder / "a.db", Connection::Mode::read_write);
    connection.run("BEGIN IMMEDIATE");
    (void)!::write(ends[1], "y", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  const Status renewed = store->renew(worker);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().code, ErrorCode::unavailable);
  EXPECT_THAT(renewed.error().message, HasSubstr("process " + std::to_string(other)));
  EXPECT_TRUE(store->renew(worker));
}

TEST(LockWaits, are_served_when_the_lock_is_free_again) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const WorkerId worker = enlist(*store);
  Keeper keeper(folder / "a.db.writer");
  std::jthread ending([&] {
    // Not before the writer waits: its thread is in the kernel's list.
    const std::string inode = [&] {
      struct stat found{};
      ::stat((folder / "a.db.writer").c_str(), &found);
      return ":" + std::to_string(found.st_ino) + " ";
    }();
    for (bool waits = false; !waits; ::poll(nullptr, 0, 1)) {
      std::ifstream locks("/proc/locks");
      for (std::string line; std::getline(locks, line);) {
        waits = waits ||
                (line.find("->") != std::string::npos && line.find(inode) != std::string::npos);
      }
    }
    keeper.end();
  });
  EXPECT_TRUE(store->renew(worker));
}

}  // namespace
}  // namespace pawl::sqlite
