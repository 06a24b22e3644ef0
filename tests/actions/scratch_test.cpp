#include "actions/scratch.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "actions/folder.hpp"

namespace pawl::actions {
namespace {

namespace fs = std::filesystem;

ScratchDirectory scratch_in(const Folder& place, const std::string& name) {
  return *ScratchDirectory::make(place.path().string(), name);
}

bool is_bare(const ScratchDirectory& scratch) {
  return std::distance(fs::directory_iterator(scratch.path()), {}) == 1 &&
         fs::is_empty(scratch.dir()) &&
         fs::status(scratch.path()).permissions() == fs::perms::owner_all &&
         fs::status(scratch.dir()).permissions() == fs::perms::owner_all;
}

TEST(Scratch, is_empty_when_it_is_made_and_removed_with_all_that_is_in_it) {
  const Folder place;
  {
    const ScratchDirectory scratch = scratch_in(place, "1-1");
    EXPECT_TRUE(is_bare(scratch));
    EXPECT_EQ(fs::path(scratch.path()).filename(), "1-1");
    std::ofstream(scratch.dir() + "/file") << "x";
    fs::create_directories(scratch.dir() + "/closed/deep");
    fs::permissions(scratch.dir() + "/closed", fs::perms::none);
  }
  EXPECT_TRUE(fs::is_empty(place.path()));
}

TEST(Scratch, is_removed_once_wherever_it_was_moved_to) {
  const Folder place;
  ScratchDirectory first = scratch_in(place, "1-1");
  ScratchDirectory second(std::move(first));
  first = scratch_in(place, "2-1");
  EXPECT_TRUE(is_bare(second));
  second.remove();
  EXPECT_TRUE(is_bare(first));
  second.remove();
  EXPECT_TRUE(is_bare(first));
}

TEST(Scratch, that_was_replaced_by_a_link_is_removed_and_not_what_it_leads_to) {
  const Folder place;
  const Folder elsewhere;
  elsewhere.write("kept", "x");
  {
    const ScratchDirectory scratch = scratch_in(place, "1-1");
    fs::remove_all(scratch.dir());
    fs::create_directory_symlink(elsewhere.path(), scratch.dir());
  }
  EXPECT_TRUE(fs::is_empty(place.path()));
  EXPECT_TRUE(fs::exists(elsewhere / "kept"));
}

TEST(Scratch, of_a_taken_name_gets_another) {
  const Folder place;
  const ScratchDirectory first = scratch_in(place, "1-1");
  const ScratchDirectory second = scratch_in(place, "1-1");
  EXPECT_NE(first.path(), second.path());
  EXPECT_TRUE(is_bare(second));
}

TEST(Scratch, has_its_rights_whatever_the_umask_says) {
  const Folder place;
  const mode_t before = ::umask(0577);
  const ScratchDirectory scratch = scratch_in(place, "1-1");
  ::umask(before);
  EXPECT_TRUE(is_bare(scratch));
}

TEST(Scratch, in_a_folder_that_is_gone_says_so) {
  const auto scratch = ScratchDirectory::make("/no/such/folder", "1-1");
  ASSERT_FALSE(scratch);
  EXPECT_EQ(scratch.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace pawl::actions
