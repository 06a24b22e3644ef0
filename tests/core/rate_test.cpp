#include <gtest/gtest.h>

#include "given.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using given::noon;

constexpr Rate twice_a_minute{.count = 2, .per = 1min};

TEST(Rates, allow_another_at_once_while_there_were_fewer) {
  EXPECT_EQ(next_opening(twice_a_minute, no_time, noon), noon);
}

TEST(Rates, allow_another_exactly_when_the_oldest_that_counts_has_aged_out) {
  EXPECT_EQ(next_opening(twice_a_minute, noon, noon), noon + 1min);
  EXPECT_EQ(next_opening(twice_a_minute, noon, noon + 1min - 1us), noon + 1min);
  EXPECT_EQ(next_opening(twice_a_minute, noon, noon + 1min), noon + 1min);
  EXPECT_EQ(next_opening(twice_a_minute, noon, noon + 2min), noon + 2min);
}

TEST(Rates, one_that_is_not_set_holds_nobody_up) { EXPECT_EQ(next_opening({}, noon, noon), noon); }

}  // namespace
}  // namespace pawl
