#pragma once

/// A store in which nearly everything has ended. `many` things of each kind are settled, and a few
/// after them are not: a read that scans for the few would scan past the many.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "contract/drive.hpp"
#include "pawl/store/people.hpp"

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
    assign_reviews();
    drive_.clock().advance(std::chrono::hours(1));
    miss_deadline();
    leave_waiting();
    introduce_people();
    (void)drive_.claim(few);
  }

  Store& store() { return drive_.store(); }
  Records& records() { return drive_.records(); }
  Drive& drive() { return drive_; }

  JobId settled;    ///< succeeded, the few failed or cancelled
  JobId letters;    ///< failed and discarded, the few not
  JobId reviews;    ///< reviewed, the few open
  JobId inbox;      ///< all to be reviewed, by anybody and at any time
  JobId assigned;   ///< to be reviewed by ben within days, the few by anna, who has claimed them
  JobId overdue;    ///< few, to be reviewed by anybody, and late
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

  JobId ask_under(std::string name, ReviewRules rules, int count) {
    StageDefinition asked = stage("only");
    asked.review = ReviewPolicy::always;
    asked.review_rules = std::move(rules);
    const JobId job = submit(workflow(std::move(name), {asked}), count);
    while (drive_.work_once(always(succeeded())) > 0) {
    }
    return job;
  }

  void assign_reviews() {
    using namespace std::chrono_literals;
    overdue = ask_under("overdue", {.due = 30s}, 0);
    assigned = ask_under("assigned", {.assign = {"ben"}, .due = 100h}, many_);
    const Timestamp until = drive_.clock().now() + 1h;
    for (int i = 0; i < few; ++i) {
      const TaskId task = drive_.task_of(assigned, "few-" + std::to_string(i));
      const ReviewId review = records().reviews({.task = task})->front().id;
      EXPECT_TRUE(drive_.act(AssignReview{review, {"anna", "group:editors"}, "", "root"}));
      EXPECT_TRUE(drive_.act(ClaimReview{review, "anna", until}));
    }
  }

  /// Few of them; the audit trail has many entries of others.
  void introduce_people() {
    People& people = store().people();
    const Actor root{.name = "root"};
    const std::string digest(64, 'a');
    for (const std::string name : {"anna", "ben", "olga"}) {
      EXPECT_TRUE(people.change(AddPerson{name, Role::operate, {}}, root));
    }
    EXPECT_TRUE(people.change(ChangePerson{"ben", Role::reviewer, {}}, root));
    EXPECT_TRUE(
        people.change(CreateToken{{.sha256 = digest, .name = "ben", .worker_kinds = {}}}, root));
    EXPECT_TRUE(people.note_use(1));
    const Timestamp until = drive_.clock().now() + std::chrono::hours(1);
    const std::vector<std::pair<char, std::string>> cookies{
        {'a', "anna"}, {'b', "ben"}, {'c', "olga"}};
    for (const auto& [digit, name] : cookies) {
      EXPECT_TRUE(people.change(
          OpenSession{{.sha256 = std::string(64, digit), .person = name, .expires_at = until}},
          root));
    }
    EXPECT_TRUE(people.change(CloseSession{std::string(64, 'c')}, root));
    EXPECT_TRUE(people.change(RevokeToken{1}, root));
    EXPECT_TRUE(people.change(RemovePerson{"ben"}, root));
    const Actor olga{.name = "olga", .method = ActorMethod::session};
    for (int i = 0; i < few; ++i) {
      EXPECT_TRUE(drive_.act(PauseJob{waiting}, olga));
      EXPECT_TRUE(drive_.act(ResumeJob{waiting}, olga));
    }
  }

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
