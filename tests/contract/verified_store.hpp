#pragma once

/// What the tests of `verify` share: a varied job, and damage to its records.

#include <algorithm>
#include <chrono>
#include <string>

#include <gmock/gmock.h>

#include "contract/drive.hpp"
#include "contract/records_decorator.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/store/verify.hpp"

namespace pawl::verifying {

using namespace std::chrono_literals;
using driving::always;
using driving::Drive;
using driving::failed;
using driving::RecordsDecorator;
using driving::rejected;
using driving::stage;
using driving::StoreKind;
using driving::succeeded;
using driving::Work;
using driving::workflow;

inline std::string told(const Verification& found) {
  std::string out;
  for (const Violation& violation : found.violations) {
    out += violation.invariant + ": " + violation.message + "\n";
  }
  return out;
}

/// A store and what `verify` finds in it, intact and damaged.
class VerifiedStore : public testing::TestWithParam<StoreKind> {
 protected:
  Drive drive{GetParam()};

  /// A chain with a join, retries with backoff, a gate and a review, and an item for each outcome.
  JobId varied_job() {
    StageDefinition fetch = stage("fetch");
    fetch.retry.max_attempts = 3;
    fetch.retry.backoff = {.initial = 2s};
    StageDefinition left = stage("left", {"fetch"});
    StageDefinition right = stage("right", {"fetch"});
    StageDefinition join = stage("join", {"left", "right"});
    join.review = ReviewPolicy::always;
    StageDefinition report = stage("report", {"join"});
    report.scope = Scope::all;
    const JobId job = drive.submit(workflow("varied", {fetch, left, right, join, report}),
                                   {"plain", "retried", "dead", "half", "last"});
    drive.work([](const Claimed& claimed) -> Work {
      const AttemptNumber number = claimed.task.attempts;
      Attempt done = succeeded();
      done.usage = {.cost_microusd = 3, .tokens = 7};
      if (claimed.task.stage() == StageIndex{0}) {
        if (claimed.item_key == "retried" && number == 1) return {.closed = failed("busy")};
        if (claimed.item_key == "retried" && number == 2) return {.closed = rejected("poor")};
        if (claimed.item_key == "dead") return {.closed = failed("torn")};
      }
      if (claimed.task.stage() == StageIndex{1} && claimed.item_key == "half") {
        return {.closed = failed("left is lost", ErrorClass::final)};
      }
      return {.closed = done};
    });
    return job;
  }

  void answer_all(JobId job, ReviewOutcome outcome) {
    const std::vector<Review> open =
        *drive.records().reviews({.job = job, .status = ReviewStatus::open});
    for (const Review& review : open) {
      const Result<Job> done = drive.act(
          AnswerReview{review.id, {.outcome = outcome, .reviewer = "eve", .note = "because"}});
      EXPECT_TRUE(done) << done.error().text();
    }
  }

  Verification verified(Records& records, const VerifyOptions& options = {}) {
    const Result<Verification> found = verify(records, options);
    EXPECT_TRUE(found) << found.error().text();
    return *found;
  }
  void expect_clean() {
    const Verification found = verified(drive.records(), {.page = 2});
    EXPECT_TRUE(found.ok()) << told(found);
    EXPECT_THAT(found.in_motion, testing::IsEmpty());
  }
  /// The damaged records violate this invariant, and the message says so.
  void expect_violation(RecordsDecorator& damaged, std::string_view invariant,
                        std::string_view part) {
    const Verification found = verified(damaged);
    const bool has = std::ranges::any_of(found.violations, [&](const Violation& violation) {
      return violation.invariant == invariant && violation.message.find(part) != std::string::npos;
    });
    EXPECT_TRUE(has) << "wanted " << invariant << " … " << part << "\nfound\n" << told(found);
  }
  /// The same, and no other invariant.
  void expect_only(RecordsDecorator& damaged, std::string_view invariant, std::string_view part) {
    expect_violation(damaged, invariant, part);
    const Verification found = verified(damaged);
    for (const Violation& violation : found.violations) {
      EXPECT_EQ(violation.invariant, invariant) << told(found);
    }
  }
};

}  // namespace pawl::verifying
