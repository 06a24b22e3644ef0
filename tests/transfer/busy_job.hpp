#pragma once

/// A small job that uses every feature: a paused job of stages a (split, retried, given up) and b
/// (reviewed), and a job-wide stage at the end.

#include <chrono>

#include "contract/drive.hpp"
#include "transfer/moved.hpp"

namespace pawl::driving {

using namespace std::chrono_literals;

inline Workflow busy_workflow() {
  StageDefinition a = stage("a");
  a.retry.max_attempts = 2;
  a.retry.backoff = {.initial = 10s, .multiplier = 2.0, .jitter = 0.5};
  a.tolerate_failures.count = 1;
  StageDefinition b = stage("b", {"a"});
  b.review = ReviewPolicy::always;
  StageDefinition all = stage("all", {"b"});
  all.scope = Scope::all;
  return workflow("busy", {a, b, all});
}

/// What the code of an item's first stage does, by the item's key.
inline Work busy_work(const Claimed& claimed) {
  if (claimed.task.stage() != StageIndex{0} || claimed.task.child) return {.closed = succeeded()};
  if (claimed.item_key == "retried") return {.closed = failed("broken")};
  if (claimed.item_key == "dead") return {.closed = failed("broken for good", ErrorClass::final)};
  if (claimed.item_key == "split" && claimed.task.cause != Cause::join) {
    Work work;
    work.closed.result = AttemptResult::expanded;
    for (const char* key : {"one", "two", "three"}) {
      work.children.push_back({.key = key, .data = Json(key)});
    }
    return work;
  }
  return {.closed = succeeded()};
}

inline Review review_of(Drive& drive, JobId job, std::string_view key) {
  const TaskId task = drive.task_of(job, key, 1);
  const auto reviews = *drive.records().reviews({.task = task, .limit = 10});
  EXPECT_EQ(reviews.size(), 1U);
  return reviews.empty() ? Review{} : reviews.front();
}

/// Items: asked (open), answered (not yet effective), edited, rejected, split, retried, dead.
inline JobId busy_job(Drive& drive, NewJob about = NewJob{.workflow = busy_workflow()}) {
  const JobId job = drive.submit(
      busy_workflow(), {"asked", "answered", "edited", "rejected", "split", "retried", "dead"},
      std::move(about));
  while (drive.work_once(busy_work) > 0) {
  }
  const Timestamp later = drive.clock().now() + 30s;
  EXPECT_TRUE(drive.act(AnswerReview{review_of(drive, job, "answered").id,
                                     {.reviewer = "eve", .effective_at = later}}));
  EXPECT_TRUE(drive.act(AnswerReview{
      review_of(drive, job, "edited").id,
      {.outcome = ReviewOutcome::approve_with_edits, .reviewer = "eve", .edits = Json("better")}}));
  EXPECT_TRUE(
      drive.act(AnswerReview{review_of(drive, job, "rejected").id,
                             {.outcome = ReviewOutcome::reject, .reviewer = "eve", .note = "no"}}));
  EXPECT_TRUE(drive.act(PauseJob{job}));
  return job;
}

}  // namespace pawl::driving
