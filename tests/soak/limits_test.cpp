/// A soak that cannot fail proves nothing: for each limit there is a course that breaks only this
/// limit.

#include "bench/soak/limits.hpp"

#include <gmock/gmock.h>

namespace pawl::soak {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Ten minutes in which nothing grows: a reading and a lone item each second.
Course even_course() {
  Course course{.seconds = 600};
  for (int second = 0; second < 600; ++second) {
    // The warm-up may grow.
    const double memory = second < 100 ? second : 100 + second % 3;
    course.readings.push_back({.at = static_cast<double>(second),
                               .resident_mib = memory,
                               .descriptors = 40 + second % 3,
                               .threads = 17,
                               .log_mib = 16,
                               .store_mib = static_cast<double>(second)});
    course.passages.push_back({.at = static_cast<double>(second),
                               .milliseconds = 5.0 + second % 7,
                               .beside = 2.0 + second % 3});
  }
  return course;
}

std::vector<std::string> missed(const Course& course, const Limits& limits = {}) {
  std::vector<std::string> names;
  for (const Finding& one : judge(course, limits)) {
    if (one.is_missed()) names.push_back(one.name);
  }
  return names;
}

TEST(SoakLimits, an_even_course_keeps_all_of_them) {
  EXPECT_THAT(missed(even_course()), IsEmpty());
}

TEST(SoakLimits, a_slow_leak_is_seen_in_growth_and_trend) {
  Course course = even_course();
  for (Reading& one : course.readings) one.resident_mib += one.at / 10;  // 6 MiB a minute
  EXPECT_THAT(missed(course),
              ElementsAre("growth of resident memory", "its trend over the second half"));
}

TEST(SoakLimits, memory_that_grows_only_at_the_end_is_seen_in_the_trend) {
  Course course = even_course();
  for (Reading& one : course.readings) one.resident_mib += std::max(0.0, one.at - 400) / 6;
  EXPECT_THAT(missed(course), testing::Contains("its trend over the second half"));
}

TEST(SoakLimits, descriptors_and_threads_that_are_not_given_back_are_seen) {
  Course course = even_course();
  for (Reading& one : course.readings) one.descriptors += static_cast<std::int64_t>(one.at) / 30;
  EXPECT_THAT(missed(course), ElementsAre("descriptors more than before"));
  course = even_course();
  for (Reading& one : course.readings) one.descriptors += static_cast<int>(one.at) % 5 * 10;
  EXPECT_THAT(missed(course), IsEmpty()) << "those of commands come and go";
  course = even_course();
  for (Reading& one : course.readings) one.threads += one.at < 450 ? 0 : 1;
  EXPECT_THAT(missed(course), ElementsAre("threads more than before"));
}

TEST(SoakLimits, a_log_that_once_grew_too_large_is_seen) {
  Course course = even_course();
  course.readings[5].log_mib = 65;
  EXPECT_THAT(missed(course), ElementsAre("largest write-ahead log"));
}

TEST(SoakLimits, lone_items_that_slow_down_are_seen) {
  Course course = even_course();
  for (Passage& one : course.passages) one.milliseconds *= 1 + one.at / 300;
  EXPECT_THAT(missed(course), ElementsAre("drift of a lone item's median"));
  course = even_course();
  for (int second = 500; second < 600; second += 20)
    course.passages[static_cast<std::size_t>(second)].milliseconds = 90;
  EXPECT_THAT(missed(course), ElementsAre("drift of its 99th percentile"));
}

TEST(SoakLimits, a_machine_that_slows_down_is_not_taken_for_the_store) {
  Course course = even_course();
  for (Passage& one : course.passages) {
    const double slower = one.at < 300 ? 1 : 5;
    one.milliseconds *= slower;
    one.beside *= slower;
  }
  EXPECT_THAT(missed(course), IsEmpty());
}

TEST(SoakLimits, what_is_not_judged_is_told) {
  Course course = even_course();
  for (Passage& one : course.passages) one.milliseconds *= 1 + one.at / 100;
  EXPECT_THAT(missed(course, {.judges_drift = false}), IsEmpty());
  const std::vector<Finding> told = judge(course, {.judges_drift = false});
  const auto drift = std::ranges::find(told, "drift of a lone item's median", &Finding::name);
  ASSERT_NE(drift, told.end());
  EXPECT_GT(drift->measured, 1.5);
}

TEST(SoakLimits, no_lone_items_at_all_is_no_proof) {
  Course course = even_course();
  course.passages.clear();
  EXPECT_THAT(missed(course), ElementsAre("lone items that nobody saw"));
}

TEST(SoakLimits, what_is_left_behind_is_seen) {
  Course course = even_course();
  course.orphans = 1;
  course.unfinished = 2;
  course.violations = 3;
  course.trouble = "an answer: the disk is on fire";
  EXPECT_THAT(missed(course),
              ElementsAre("orphan processes", "jobs without an end", "broken promises (verify)",
                          "errors that nothing explains"));
  EXPECT_THAT(judge(course, {}).back().text(), HasSubstr("on fire"));
}

TEST(SoakLimits, a_missed_limit_is_said_in_words) {
  Course course = even_course();
  course.readings[5].log_mib = 65;
  const std::vector<Finding> told = judge(course, {});
  const auto log = std::ranges::find(told, "largest write-ahead log", &Finding::name);
  ASSERT_NE(log, told.end());
  EXPECT_EQ(log->text(), "largest write-ahead log: 65 MiB, where 64 MiB are allowed");
}

}  // namespace
}  // namespace pawl::soak
