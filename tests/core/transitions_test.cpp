#include "core/transitions.hpp"

#include <array>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace pawl {
namespace {

// One row per state a task is in, one column per state it may move to, both in stored order:
// Waiting, Ready, Running, RetryScheduled, AwaitingReview, Expanded, Succeeded, sKipped, Failed,
// Cancelled.
constexpr std::array<std::string_view, state_kinds> expected{
    // W R r s a e S K F C
    "x x . . . . x x x x",  // waiting
    "x x x . . . . x . x",  // ready
    "x x x x x x x x x x",  // running
    "x x . . . . . x . x",  // retry_scheduled
    "x x . . x . x x x x",  // awaiting_review
    "x x . . . x x . x x",  // expanded
    "x x . . . x . . . .",  // succeeded
    "x x . . . . . x . .",  // skipped
    "x x . . . x . . x .",  // failed
    "x x . . . . . . . .",  // cancelled
};

// The table is data and tested exhaustively.
TEST(Transitions, every_pair_of_states_is_allowed_or_not_as_written_here) {
  for (std::size_t from = 0; from < state_kinds; ++from) {
    for (std::size_t to = 0; to < state_kinds; ++to) {
      EXPECT_EQ(may_move(static_cast<StateKind>(from), static_cast<StateKind>(to)),
                expected[from][to * 2] == 'x')
          << from << " to " << to;
    }
  }
}

TEST(Transitions, every_row_stands_once_and_says_why) {
  std::set<std::pair<StateKind, StateKind>> seen;
  for (const Transition& row : transitions()) {
    EXPECT_TRUE(seen.emplace(row.from, row.to).second);
    EXPECT_FALSE(row.why.empty());
  }
}

// I2, I4: only a claim makes a task Running, and only its own attempt lets it end in success
TEST(Transitions, a_task_runs_only_from_ready_or_reopened_and_ended_ones_go_back_only_by_rerun) {
  for (std::size_t from = 0; from < state_kinds; ++from) {
    const auto kind = static_cast<StateKind>(from);
    EXPECT_EQ(may_move(kind, StateKind::running),
              kind == StateKind::ready || kind == StateKind::running);
    if (has_ended(kind)) {
      EXPECT_TRUE(may_move(kind, StateKind::ready));
      EXPECT_FALSE(may_move(kind, StateKind::succeeded));
    }
  }
}

}  // namespace
}  // namespace pawl
