#include "actions/scratch.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/folder.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;
using actions_test::Folder;

ino_t number_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

bool is_bare(const Scratch& scratch) {
  return std::distance(fs::directory_iterator(scratch.path), {}) == 1 &&
         fs::is_empty(scratch.dir()) &&
         fs::status(scratch.path).permissions() == fs::perms::owner_all &&
         fs::status(scratch.dir()).permissions() == fs::perms::owner_all;
}

/// What an attempt may do to its directory, and what the next one is given.
class Reuse : public ::testing::Test {
 protected:
  /// Whether the next attempt gets the same directory; it is bare in any case.
  bool is_given_again() {
    const std::string old = first.path;
    folder_.give_back(std::move(first));
    const Scratch next = *folder_.take("2-1");
    EXPECT_TRUE(is_bare(next));
    EXPECT_TRUE(next.path.ends_with("/2-1"));
    EXPECT_FALSE(fs::exists(old));
    return number_of(next.dir()) == number;
  }

  Folder place_;
  ScratchFolder folder_{place_.path().string()};
  Scratch first = *folder_.take("1-1");
  ino_t number = number_of(first.dir());
};

TEST_F(Reuse, of_an_untouched_directory_gives_it_another_name) { EXPECT_TRUE(is_given_again()); }

TEST_F(Reuse, is_possible_many_times) {
  for (int i = 0; i < 5; ++i) {
    folder_.give_back(std::move(first));
    first = *folder_.take("1-" + std::to_string(i));
    EXPECT_TRUE(is_bare(first));
    EXPECT_EQ(number_of(first.dir()), number);
  }
}

TEST_F(Reuse, is_not_for_one_that_something_lies_in) {
  std::ofstream(first.dir() + "/file") << "x";
  const fs::path inner = fs::path(first.dir()) / "file";
  folder_.give_back(std::move(first));
  EXPECT_FALSE(fs::exists(inner));
}

TEST_F(Reuse, is_not_for_one_that_something_lay_in) {
  std::ofstream(first.dir() + "/file") << "x";
  fs::remove(first.dir() + "/file");
  folder_.give_back(std::move(first));
  EXPECT_TRUE(fs::is_empty(place_.path())) << "removed at once";
}

TEST_F(Reuse, is_not_for_one_with_a_result) {
  std::ofstream(first.path + "/result.json") << "{}";
  folder_.give_back(std::move(first));
  EXPECT_TRUE(fs::is_empty(place_.path()));
}

TEST_F(Reuse, is_not_for_one_that_shows_another_time) {
  std::ofstream(first.dir() + "/file") << "x";
  fs::remove(first.dir() + "/file");
  fs::last_write_time(first.dir(), fs::file_time_type::clock::now() - std::chrono::years(40));
  folder_.give_back(std::move(first));
  EXPECT_TRUE(fs::is_empty(place_.path()));
}

TEST_F(Reuse, is_not_for_one_with_other_rights) {
  fs::permissions(first.dir(), fs::perms::all);
  folder_.give_back(std::move(first));
  EXPECT_TRUE(fs::is_empty(place_.path()));
}

TEST_F(Reuse, is_not_for_one_that_was_removed_or_replaced) {
  fs::remove_all(first.dir());
  fs::create_directory_symlink("/etc", first.dir());
  folder_.give_back(std::move(first));
  EXPECT_TRUE(fs::is_empty(place_.path()));
  EXPECT_TRUE(fs::exists("/etc/passwd"));
  EXPECT_TRUE(is_bare(*folder_.take("2-1")));
}

// By a service, say, that the attempt has left behind and that still knows the name.
TEST_F(Reuse, is_not_for_one_that_was_written_to_after_its_attempt) {
  const std::string dir = first.dir();
  folder_.give_back(std::move(first));
  std::ofstream(dir + "/late") << "x";
  const Scratch next = *folder_.take("2-1");
  EXPECT_TRUE(is_bare(next));
  EXPECT_FALSE(fs::exists(dir));
  EXPECT_FALSE(std::ofstream(dir + "/later").is_open()) << "the old name leads nowhere";
}

TEST(Scratch, of_a_taken_name_gets_another) {
  const Folder place;
  ScratchFolder folder(place.path().string());
  const Scratch first = *folder.take("1-1");
  Scratch second = *folder.take("1-1");
  EXPECT_NE(first.path, second.path);
  folder.give_back(std::move(second));
  const Scratch third = *folder.take("1-1");
  EXPECT_NE(first.path, third.path);
  EXPECT_TRUE(is_bare(third));
}

TEST(Scratch, has_its_rights_whatever_the_mask_says) {
  const Folder place;
  ScratchFolder folder(place.path().string());
  const mode_t before = ::umask(0577);
  const Scratch scratch = *folder.take("1-1");
  ::umask(before);
  EXPECT_TRUE(is_bare(scratch));
}

TEST(Scratch, in_a_folder_that_is_gone_says_so) {
  ScratchFolder folder("/no/such/folder");
  const Result<Scratch> scratch = folder.take("1-1");
  ASSERT_FALSE(scratch);
  EXPECT_EQ(scratch.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace pawl
