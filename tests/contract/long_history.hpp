#pragma once

/// A store in which nearly everything has ended. `many` things of each kind are settled, and a few
/// after them are not: a read that scans for the few would scan past the many.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "contract/drive.hpp"

namespace pawl::driving {

class LongHistory {
 public:
  static constexpr int few = 3;

  LongHistory(const std::filesystem::path& path, int many) : LongHistory(kind(path), many) {}
  LongHistory(const StoreKind& kind, int many) : drive_(kind), many_(many) {
    settle_items();
    discard_letters();
    answer_reviews();
    fill_inbox();
    expand();
    cancel();
    schedule_retries();
    finish_small_jobs();
    drive_.clock().advance(std::chrono::hours(1));
    miss_deadline();
    leave_waiting();
    (void)drive_.claim(few);
  }

  Store& store() { return drive_.store(); }
  Records& records() { return drive_.records(); }
  Drive& drive() { return drive_; }

  JobId settled;    ///< succeeded, the few failed or cancelled
  JobId letters;    ///< failed and discarded, the few not
  JobId reviews;    ///< reviewed, the few open
  JobId inbox;      ///< all to be reviewed
  JobId expanded;   ///< one item with children, the few failed
  JobId cancelled;  ///< active when the job was cancelled
  JobId retrying;   ///< waiting for their next attempt
  JobId waiting;    ///< Ready, the few running
  JobId small;      ///< the last of as many jobs with one item
  TaskId parent;    ///< of the children

 private:
  static StoreKind kind(const std::filesystem::path& path) {
    return {.name = "sqlite", .open = [path](const Clock& clock) {
              return open_sqlite_store(
                         {.path = path, .durability = SqliteOptions::Durability::normal}, clock)
                  .value();
            }};
  }

  JobId submit(const Workflow& flow, int count, bool with_few = true) {
    const JobId job = store().create_job({.workflow = flow})->id;
    std::vector<NewItem> items;
    for (int i = 0; i < count; ++i) items.push_back({.key = "many-" + std::to_string(i)});
    for (int i = 0; with_few && i < few; ++i) {
      items.push_back({.key = "few-" + std::to_string(i), .category = "rare"});
    }
    EXPECT_TRUE(store().add_items({.job = job, .items = items, .close = true}));
    return job;
  }
  static Workflow one_stage(std::string name) { return workflow(std::move(name), {stage("only")}); }
  static bool is_few(const Claimed& claimed) { return claimed.item_key.starts_with("few"); }
  static Attempt broken() { return failed("broken", ErrorClass::final); }

  void settle_items() {
    settled = submit(workflow("settled", {stage("first"), stage("second", {"first"})}), many_);
    const ItemId last = drive_.item(settled, "few-2").id;
    EXPECT_TRUE(drive_.act(CancelItem{last}));
    drive_.work([](const Claimed& claimed) -> Work {
      return {.closed = is_few(claimed) ? broken() : succeeded(), .children = {}};
    });
  }

  void discard_letters() {
    letters = submit(one_stage("letters"), many_);
    drive_.work(always(broken()));
    for (int i = 0; i < many_; ++i) {
      const TaskId task = drive_.task_of(letters, "many-" + std::to_string(i));
      EXPECT_TRUE(drive_.act(DiscardDeadLetter{.task = task, .reason = "known", .by = "eve"}));
    }
  }

  JobId ask(std::string name) {
    StageDefinition asked = stage("only");
    asked.review = ReviewPolicy::always;
    const JobId job = submit(workflow(std::move(name), {asked}), many_);
    drive_.work(always(succeeded()));
    return job;
  }

  void fill_inbox() { inbox = ask("inbox"); }

  void answer_reviews() {
    reviews = ask("reviews");
    const auto open =
        *records().reviews({.job = reviews, .limit = static_cast<std::uint32_t>(many_)});
    for (const Review& review : open) {
      EXPECT_TRUE(drive_.act(AnswerReview{
          review.id, {.outcome = ReviewOutcome::approve, .reviewer = "eve", .note = {}}}));
    }
  }

  void expand() {
    StageDefinition split = stage("only");
    split.tolerate_failures = {.count = few};
    expanded = submit(workflow("expanded", {split}), 1, false);
    parent = drive_.task_of(expanded, "many-0");
    drive_.work([&](const Claimed& claimed) -> Work {
      if (claimed.task.id == parent) {
        Work work;
        work.closed.result = AttemptResult::expanded;
        for (int i = 0; i < many_; ++i) work.children.push_back({.key = std::to_string(i)});
        return work;
      }
      const bool fails = std::stoi(claimed.task.child->key) >= many_ - few;
      return {.closed = fails ? broken() : succeeded(), .children = {}};
    });
  }

  void cancel() {
    cancelled = submit(one_stage("cancelled"), many_);
    EXPECT_TRUE(drive_.act(CancelJob{cancelled}));
  }

  void schedule_retries() {
    StageDefinition slow = stage("only");
    slow.retry.max_attempts = 9;
    slow.retry.backoff = {.initial = std::chrono::hours(100), .multiplier = 1.0};
    retrying = submit(workflow("retrying", {slow}), many_);
    while (drive_.work_once(always(failed("later"))) > 0) {
    }
  }

  void finish_small_jobs() {
    for (int i = 0; i < many_; ++i) small = submit(one_stage("small"), 1, false);
    while (drive_.work_once(always(succeeded())) > 0) {
    }
  }

  void miss_deadline() {
    NewJob late{.workflow = one_stage("late")};
    late.budget.deadline = std::chrono::seconds(1);
    EXPECT_TRUE(store().create_job(late));
    drive_.clock().advance(std::chrono::seconds(2));
    EXPECT_TRUE(store().sweep({.self = drive_.worker()}));
  }

  void leave_waiting() { waiting = submit(one_stage("waiting"), many_); }

  Drive drive_;
  int many_;
};

}  // namespace pawl::driving
