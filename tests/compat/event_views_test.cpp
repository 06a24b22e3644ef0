#include "pawl/compat/event_views.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace pawl {
namespace {

constexpr Timestamp noon{std::chrono::seconds(1'700'000'000)};

Event event(EventType type) {
  Event made;
  made.type = type;
  made.task = TaskId{7};
  made.attempt = 2;
  made.count = 3;
  return made;
}

TEST(EventViews, read_the_seeds_meaning_and_refuse_other_types) {
  EXPECT_EQ(as<QualityCheckPassed>(event(EventType::gate_accepted))->attempt, 2U);
  Event rejected = event(EventType::gate_rejected);
  rejected.text = "too short";
  EXPECT_EQ(as<QualityCheckFailed>(rejected)->feedback_summary, "too short");
  Event scheduled = event(EventType::retry_scheduled);
  scheduled.code = static_cast<int>(Cause::gate_feedback);
  scheduled.when = noon;
  EXPECT_EQ(as<RetryScheduledEvent>(scheduled)->max_attempts, 3);
  EXPECT_EQ(as<RetryScheduledEvent>(scheduled)->cause, Cause::gate_feedback);
  EXPECT_EQ(as<RetryScheduledEvent>(scheduled)->next_run_at, noon);
  Event started = event(EventType::retry_started);
  EXPECT_FALSE(as<RetryAttempt>(started)->feedback_summary);
  started.text = "too short";
  EXPECT_EQ(as<RetryAttempt>(started)->feedback_summary, "too short");
  Event escalated = event(EventType::escalated);
  escalated.code = static_cast<int>(ReviewReason::exhausted);
  escalated.text = "Retry budget exhausted";
  EXPECT_EQ(as<Escalated>(escalated)->why, ReviewReason::exhausted);
  EXPECT_EQ(as<Escalated>(escalated)->reason, "Retry budget exhausted");
  EXPECT_FALSE(as<Escalated>(started));
  EXPECT_FALSE(as<RetryAttempt>(scheduled));
  EXPECT_FALSE(as<QualityCheckPassed>(rejected));
  EXPECT_FALSE(as<QualityCheckFailed>(started));
  EXPECT_FALSE(as<RetryScheduledEvent>(rejected));
}

}  // namespace
}  // namespace pawl
