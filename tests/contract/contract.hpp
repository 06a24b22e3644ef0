#pragma once

/// The promises of the store ports, over every kind of store. After each test every invariant is
/// checked.

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "contract/drive.hpp"

namespace pawl::driving {

using namespace std::chrono_literals;

class Contract : public testing::TestWithParam<StoreKind> {
 protected:
  void TearDown() override { drive.expect_sound(); }

  Drive drive{GetParam()};

  static constexpr StageIndex first{0};
  static constexpr StageIndex second{1};
  static constexpr StageIndex third{2};
  static constexpr StageIndex fourth{3};

  /// A stage that asks for a review after one success.
  static StageDefinition reviewed(std::string name, std::vector<std::string> needs = {}) {
    StageDefinition made = stage(std::move(name), std::move(needs));
    made.review = ReviewPolicy::always;
    return made;
  }
  static StageDefinition with_attempts(StageDefinition made, std::uint32_t max,
                                       Duration delay = Duration{0}) {
    made.retry.max_attempts = max;
    made.retry.backoff = {.initial = delay, .multiplier = 1.0};
    return made;
  }
  static StageDefinition job_wide(std::string name, std::vector<std::string> needs) {
    StageDefinition made = stage(std::move(name), std::move(needs));
    made.scope = Scope::all;
    return made;
  }
  static Work split(const std::vector<std::string>& keys) {
    Work work;
    work.closed.result = AttemptResult::expanded;
    for (const std::string& key : keys) work.children.push_back({.key = key, .data = Json(key)});
    return work;
  }

  std::vector<AttemptNumber> numbers(TaskId task) {
    std::vector<AttemptNumber> found;
    const auto attempts = *drive.records().attempts(task);
    for (const Attempt& one : attempts) found.push_back(one.number);
    return found;
  }
  std::vector<Event> events(EventFilter filter = {.limit = 100'000}) {
    return *drive.records().events(filter);
  }
  std::int64_t count_events(EventType type) {
    const std::vector<Event> all = events();
    return std::ranges::count(all, type, &Event::type);
  }
  Review open_review(JobId job) {
    const auto open = *drive.records().reviews({.job = job, .status = ReviewStatus::open});
    EXPECT_EQ(open.size(), 1U);
    return open.empty() ? Review{} : open.front();
  }
  Result<Job> say(const Review& review, ReviewOutcome outcome, std::string reviewer = "eve") {
    return drive.act(AnswerReview{
        review.id, {.outcome = outcome, .reviewer = std::move(reviewer), .note = "because"}});
  }
  static void expect_error(const Result<Job>& answer, ErrorCode code, std::string_view part) {
    ASSERT_FALSE(answer) << "expected an error that says: " << part;
    EXPECT_EQ(answer.error().code, code) << answer.error().text();
    EXPECT_THAT(answer.error().text(), testing::HasSubstr(std::string(part)));
  }
};

}  // namespace pawl::driving
