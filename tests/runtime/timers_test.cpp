#include "runtime/timers.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace pawl::runtime {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start{1'700'000'000s};

Timer timer_of(int task, Duration after) { return {.at = start + after, .task = TaskId{task}}; }

TEST(Timers, come_due_in_order_and_not_before) {
  Timers timers;
  EXPECT_EQ(timers.next(), no_time);
  for (const int task : {3, 1, 2}) timers.push(timer_of(task, task * 1s));
  EXPECT_EQ(timers.next(), start + 1s);
  EXPECT_FALSE(timers.take_due(start + 999ms));
  EXPECT_EQ(timers.take_due(start + 2s)->task, TaskId{1});
  EXPECT_EQ(timers.take_due(start + 2s)->task, TaskId{2});
  EXPECT_FALSE(timers.take_due(start + 2s));
  EXPECT_EQ(timers.next(), start + 3s);
}

TEST(Timers, of_attempts_that_have_ended_do_not_pile_up) {
  Timers timers;
  for (int task = 1; task <= 1'000'000; ++task) {
    const auto is_wanted = [&](const Timer& timer) { return timer.task.value() > task - 10; };
    timers.tidy(10, is_wanted);
    timers.push(timer_of(task, 1h - task * 1ms));
    ASSERT_LE(timers.size(), 1'000u);
  }
  std::vector<std::int64_t> last;
  timers.tidy(0, [](const Timer& timer) { return timer.task.value() > 999'997; });
  while (const auto due = timers.take_due(start + 1h)) last.push_back(due->task.value());
  ASSERT_GE(last.size(), 3u);
  EXPECT_EQ(last[0], 1'000'000) << "it is the earliest still";
}

TEST(Timers, that_are_wanted_are_never_dropped) {
  Timers timers;
  for (int task = 1; task <= 5'000; ++task) timers.push(timer_of(task, 1h));
  timers.tidy(0, [](const Timer& timer) { return timer.task.value() % 2 == 0; });
  EXPECT_EQ(timers.size(), 2'500u);
  timers.tidy(2'500, [](const Timer&) { return false; });
  EXPECT_EQ(timers.size(), 2'500u) << "not looked at while most of them may be wanted";
}

}  // namespace
}  // namespace pawl::runtime
