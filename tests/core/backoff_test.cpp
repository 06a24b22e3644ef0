#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/given.hpp"
#include "pawl/core/decide.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;

std::vector<std::int64_t> seconds_of(const RetryPolicy& policy) {
  std::vector<std::int64_t> delays;
  for (std::uint32_t failures = 1; failures < policy.max_attempts; ++failures) {
    const Duration delay = backoff_delay(policy.backoff, failures, TaskId{1}, failures);
    delays.push_back(std::chrono::duration_cast<std::chrono::seconds>(delay).count());
  }
  return delays;
}

TEST(Backoff, the_service_preset_waits_as_the_seed_does) {
  EXPECT_EQ(seconds_of(RetryPolicy::service()),
            (std::vector<std::int64_t>{60, 120, 240, 480, 960, 1920, 3600}));
}

TEST(Backoff, the_other_presets_wait_as_they_say) {
  EXPECT_EQ(seconds_of(RetryPolicy::none()), std::vector<std::int64_t>{});
  EXPECT_EQ(seconds_of(RetryPolicy::task()), (std::vector<std::int64_t>{2, 4, 8, 16}));
  EXPECT_EQ(seconds_of(RetryPolicy::batch()), (std::vector<std::int64_t>{1, 2}));
}

TEST(Backoff, huge_exponents_neither_overflow_nor_pass_a_hundred_years) {
  const Backoff uncapped{.initial = 1s, .multiplier = 10.0};
  const Duration longest = backoff_delay(uncapped, UINT32_MAX, TaskId{1}, 1);
  EXPECT_EQ(longest, std::chrono::hours(24 * 365 * 100));
  const Backoff capped{.initial = 1s, .max = 1h, .multiplier = 10.0};
  EXPECT_EQ(backoff_delay(capped, UINT32_MAX, TaskId{1}, 1), Duration(1h));
  const Backoff none{.initial = 0s, .multiplier = 10.0};
  EXPECT_EQ(backoff_delay(none, UINT32_MAX, TaskId{1}, 1), Duration::zero());
}

TEST(Backoff, delays_are_whole_microseconds_of_the_formula) {
  const Backoff odd{.initial = 1s, .multiplier = 1.15};
  EXPECT_EQ(backoff_delay(odd, 2, TaskId{1}, 1), Duration(1'150'000));
  EXPECT_EQ(backoff_delay(odd, 3, TaskId{1}, 1), Duration(1'322'500));
}

Backoff any_backoff(double jitter) {
  Backoff backoff;
  backoff.initial = Duration(*rc::gen::inRange<std::int64_t>(0, 10'000'000'000));
  backoff.max = Duration(*rc::gen::element<std::int64_t>(0, 1, 1'000'000, 3'600'000'000));
  backoff.multiplier = 1.0 + *rc::gen::inRange(0, 300) / 100.0;
  backoff.jitter = jitter;
  return backoff;
}

TEST(Backoff, never_gets_shorter_and_never_passes_its_cap) {
  EXPECT_TRUE(rc::check([] {
    const Backoff backoff = any_backoff(0.0);
    const auto failures = *rc::gen::inRange<std::uint32_t>(1, 5'000);
    const Duration now = backoff_delay(backoff, failures, TaskId{1}, 1);
    const Duration next = backoff_delay(backoff, failures + 1, TaskId{1}, 1);
    RC_ASSERT(now >= Duration::zero());
    RC_ASSERT(next >= now);
    if (backoff.max > Duration::zero()) RC_ASSERT(next <= backoff.max);
  }));
}

TEST(Backoff, jitter_only_lengthens_and_by_no_more_than_its_share) {
  EXPECT_TRUE(rc::check([] {
    const double jitter = *rc::gen::inRange(0, 101) / 100.0;
    const Backoff backoff = any_backoff(jitter);
    Backoff plain = backoff;
    plain.jitter = 0.0;
    const auto failures = *rc::gen::inRange<std::uint32_t>(1, 100);
    const TaskId task{*rc::gen::inRange<std::int64_t>(1, 1'000'000)};
    const auto attempt = *rc::gen::inRange<std::uint32_t>(1, 100);
    const Duration base = backoff_delay(plain, failures, task, attempt);
    const Duration longer = backoff_delay(backoff, failures, task, attempt);
    RC_ASSERT(longer >= base);
    RC_ASSERT(static_cast<double>(longer.count()) <=
              static_cast<double>(base.count()) * (1.0 + jitter) + 1.0);
    RC_ASSERT(backoff_delay(backoff, failures, task, attempt) == longer);
  }));
}

TEST(Backoff, jitter_spreads_tasks_that_failed_together) {
  const Backoff backoff{.initial = 1000s, .jitter = 0.5};
  std::vector<Duration> delays;
  for (std::int64_t task = 1; task <= 100; ++task) {
    delays.push_back(backoff_delay(backoff, 1, TaskId{task}, 1));
  }
  std::ranges::sort(delays);
  EXPECT_EQ(std::ranges::adjacent_find(delays), delays.end());
  EXPECT_LT(delays.front(), Duration(1100s));
  EXPECT_GT(delays.back(), Duration(1400s));
}

}  // namespace
}  // namespace pawl
