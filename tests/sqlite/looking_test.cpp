/// A user who may read a store and not write it, while its owner begins and ends to work.

#include <sys/stat.h>

#include "sqlite/fixture.hpp"
#include "sqlite/reader_pool.hpp"

namespace pawl::sqlite {
namespace {

constexpr uid_t nobody = 65'534;

/// A store that nobody uses: it has no write-ahead log, and everybody may read it.
class Looking : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0)
      GTEST_SKIP() << "needs root to be another user";  // loud: the reason is printed
    submit(*opened(), two_stages(), 1);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      ASSERT_EQ(::chmod(entry.path().c_str(), entry.is_directory() ? 0755 : 0644), 0);
    }
    ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  }

  /// The store for its owner, who leaves it readable.
  std::shared_ptr<Store> opened() { return must_open({.path = store, .trust_owner = true}); }

  /// Runs `body` as the other user; it may `hand_over` to the owner.
  void begin(const std::function<int()>& body) {
    ASSERT_EQ(::pipe(to_owner_), 0);
    ASSERT_EQ(::pipe(to_looker_), 0);
    child_ = ::fork();
    if (child_ != 0) return;
    ::alarm(60);
    ::close(to_looker_[1]);
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(100);
    ::_exit(body());
  }
  void hand_over() {
    (void)!::write(to_owner_[1], "y", 1);
    char byte = 0;
    if (::read(to_looker_[0], &byte, 1) != 1) ::_exit(101);
  }
  /// Waits until the other user hands over, lets the owner work, and returns.
  void when_handed_over(const std::function<void()>& work) {
    if (!is_closed_) ::close(to_owner_[1]);
    is_closed_ = true;
    char byte = 0;
    ASSERT_EQ(::read(to_owner_[0], &byte, 1), 1) << "the other user ended early";
    work();
    ASSERT_EQ(::write(to_looker_[1], "y", 1), 1);
  }
  int end() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    for (const int pipe : {to_owner_[0], to_looker_[0], to_looker_[1]}) ::close(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const Folder folder;
  const std::filesystem::path store = folder / "a.db";

 private:
  int to_owner_[2] = {-1, -1};
  int to_looker_[2] = {-1, -1};
  bool is_closed_ = false;
  pid_t child_ = 0;
};

TEST_F(Looking, sees_what_the_owner_does_after_it_began) {
  begin([&] {
    const auto looked_at = open_sqlite_store({.path = store, .read_only = true});
    if (!looked_at) return 1;
    std::uint64_t mark = (*looked_at)->change_mark();
    for (std::size_t jobs = 1; jobs <= 3; ++jobs) {
      const auto found = (*looked_at)->records().jobs({.limit = 10});
      if (!found || found->size() != jobs) return 10 + static_cast<int>(jobs);
      if ((*looked_at)->change_mark() != mark) return 20 + static_cast<int>(jobs);
      hand_over();
      if ((*looked_at)->change_mark() == mark) return 30 + static_cast<int>(jobs);
      mark = (*looked_at)->change_mark();
    }
    return (*looked_at)->records().jobs({.limit = 10})->size() == 4 ? 0 : 2;
  });
  std::shared_ptr<Store> owner;
  when_handed_over([&] { submit(*(owner = opened()), two_stages(), 1); });
  when_handed_over([&] { submit(*owner, two_stages(), 1); });
  when_handed_over([&] { submit(*owner, two_stages(), 1), owner.reset(); });
  EXPECT_EQ(end(), 0);
}

TEST_F(Looking, sees_what_was_done_while_it_did_not_look) {
  begin([&] {
    const auto looked_at = open_sqlite_store({.path = store, .read_only = true});
    if (!looked_at || (*looked_at)->records().jobs({.limit = 10})->size() != 1) return 1;
    hand_over();
    return (*looked_at)->records().jobs({.limit = 10})->size() == 2 ? 0 : 2;
  });
  when_handed_over([&] { submit(*opened(), two_stages(), 1); });
  EXPECT_FALSE(std::filesystem::exists(folder / "a.db-wal")) << "it is at rest again";
  EXPECT_EQ(end(), 0);
}

TEST_F(Looking, reads_again_if_the_file_changed_while_it_read) {
  begin([&] {
    ReaderPool readers(store, {}, Connection::Mode::look);
    int runs = 0;
    const std::int64_t jobs = readers.read([&](Connection& connection) {
      const std::int64_t found = connection.integer("SELECT count(*) FROM jobs");
      if (++runs == 1) hand_over();
      if (runs == 1) throw DbError(SQLITE_CORRUPT, "a torn page");
      return found;
    });
    return jobs == 2 && runs == 2 ? 0 : 1;
  });
  when_handed_over([&] { submit(*opened(), two_stages(), 1); });
  EXPECT_EQ(end(), 0);
}

TEST_F(Looking, ends_with_an_error_when_the_owner_closes_the_file_to_others) {
  begin([&] {
    const auto looked_at = open_sqlite_store({.path = store, .read_only = true});
    if (!looked_at || (*looked_at)->records().jobs({.limit = 10})->size() != 1) return 1;
    hand_over();
    const auto found = (*looked_at)->records().jobs({.limit = 10});
    if (found || found.error().code != ErrorCode::refused) return 2;
    return found.error().message.starts_with("cannot read '" + store.string() + "'") ? 0 : 3;
  });
  when_handed_over([&] {
    submit(*opened(), two_stages(), 1);
    EXPECT_EQ(::chmod(store.c_str(), 0600), 0);
  });
  EXPECT_EQ(end(), 0);
}

TEST_F(Looking, reports_damage_of_a_file_that_nobody_changes) {
  begin([&] {
    ReaderPool readers(store, {}, Connection::Mode::look);
    try {
      (void)readers.read([](Connection&) -> int { throw DbError(SQLITE_CORRUPT, "damaged"); });
    } catch (const DbError&) {
      return 0;
    }
    return 1;
  });
  EXPECT_EQ(end(), 0);
}

}  // namespace
}  // namespace pawl::sqlite
