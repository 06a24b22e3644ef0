#include "cli/output/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/terminal_output.hpp"

namespace pawl::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Rows, are_broken_at_spaces_and_keep_every_character) {
  EXPECT_THAT(rows_of("the quick fox", 9), ElementsAre("the ", "quick fox"));
  EXPECT_THAT(rows_of("one\n\ntwo\n", 9), ElementsAre("one", "", "two"));
  EXPECT_THAT(rows_of("", 9), IsEmpty());
}

TEST(Rows, break_a_word_that_is_longer_than_a_row) {
  EXPECT_THAT(rows_of("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(rows_of("    abcdef", 6), ElementsAre("    ab", "cdef"));
}

TEST(Rows, count_columns_and_not_bytes) {
  EXPECT_THAT(rows_of("日本語", 4), ElementsAre("日本", "語"));
  EXPECT_THAT(rows_of("日本", 1), ElementsAre("日", "本"));
}

TEST(Rows, give_no_room_to_our_own_colours) {
  const std::string red = control_sequence("31m");
  const std::string plain = control_sequence("0m");
  EXPECT_THAT(rows_of(red + "abc" + plain + "de", 3), ElementsAre(red + "abc" + plain, "de"));
  EXPECT_EQ(without_colours(red + "abc" + plain + "\x1b[2J\n"), "abc\\u001b[2J\n");
}

}  // namespace
}  // namespace pawl::cli
