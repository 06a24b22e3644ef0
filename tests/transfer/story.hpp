#pragma once

/// A store goes through a seeded random history and is brought to a standstill; its jobs are then
/// driven to their end, before a move and after it.

#include <map>
#include <string>
#include <vector>

#include "contract/dice.hpp"

namespace pawl::driving {

class Story {
 public:
  Story(const StoreKind& kind, std::uint64_t seed) : drive_(kind), dice_(seed) {}

  Drive& drive() { return drive_; }
  [[nodiscard]] const std::vector<JobId>& jobs() const { return jobs_; }

  void step() {
    switch (dice_.below(14)) {
      case 0:
        return submit();
      case 1:
      case 2:
      case 3:
        return claim();
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        return close_some();
      case 9:
      case 10:
      case 11:
        return act();
      case 12:
        drive_.clock().advance(dice_.any_of<Duration>(
            {std::chrono::milliseconds(1), std::chrono::seconds(1), std::chrono::seconds(3)}));
        return;
      default:
        EXPECT_TRUE(drive_.store().sweep({.self = drive_.worker()}));
        return;
    }
  }

  /// Every job has ended or is paused, and no attempt is open.
  void come_to_a_stand() {
    for (const JobId job : jobs_) (void)drive_.act(PauseJob{job});
    while (!held_.empty()) close_some();
  }

 private:
  void submit() {
    if (jobs_.size() >= 3) return claim();
    if (workflows_.empty() || dice_.one_in(3)) workflows_.push_back(random_workflow(dice_));
    NewJob fresh{.workflow = dice_.pick(workflows_),
                 .params = Json(dice_.below(2)),
                 .labels = Json::object({{"project", "here"}}),
                 .parallel = dice_.any_of({0U, 0U, 3U}),
                 .priority = static_cast<std::int32_t>(dice_.below(2))};
    if (dice_.one_in(4)) fresh.budget.max_total_attempts = 3 + static_cast<int>(dice_.below(12));
    if (dice_.one_in(4)) fresh.budget.deadline = std::chrono::seconds(20);
    if (dice_.one_in(4)) fresh.budget.max_attempts_per_task = 2;
    if (dice_.one_in(5)) fresh.tolerate_failures.count = 1;
    std::vector<NewItem> items;
    for (std::uint64_t i = dice_.below(7); i > 0; --i) {
      items.push_back({.key = "k" + std::to_string(dice_.below(5)),
                       .category = dice_.any_of<std::string>({"", "red"}),
                       .data = Json(dice_.below(2)),
                       .data_sha256 = "d"});
    }
    const Result<Submitted> done = drive_.store().submit(
        fresh, {.items = items, .adopt = !dice_.one_in(3), .close = !dice_.one_in(4)});
    ASSERT_TRUE(done) << done.error().text();
    jobs_.push_back(done->job.id);
  }

  void claim() {
    EXPECT_TRUE(drive_.store().renew(drive_.worker()));
    const Claims claims =
        drive_.claim_for(drive_.worker(), static_cast<std::uint32_t>(1 + dice_.below(4)));
    held_.insert(held_.end(), claims.opened.begin(), claims.opened.end());
    for (const Claimed& one : claims.conditional) (void)drive_.commit(skip_by_choice(one.task));
  }

  void close_some() {
    if (held_.empty()) return claim();
    const auto place = static_cast<std::ptrdiff_t>(dice_.below(held_.size()));
    const Claimed claimed = held_[static_cast<std::size_t>(place)];
    held_.erase(held_.begin() + place);
    const Job job = drive_.job(claimed.task.job);
    const Workflow flow = *drive_.records().workflow(job.workflow_hash);
    (void)drive_.close(claimed, random_work(dice_, flow.stage(claimed.task.stage()), claimed.task));
  }

  void act() {
    if (jobs_.empty()) return submit();
    const JobId job = dice_.pick(jobs_);
    const auto reviews = *drive_.records().reviews({.job = job, .limit = 1'000});
    const auto failed =
        *drive_.records().tasks({.job = job, .state = StateKind::failed, .limit = 1'000});
    const auto items = *drive_.records().items({.job = job, .limit = 1'000});
    switch (dice_.below(9)) {
      case 0:
        if (dice_.one_in(4)) (void)drive_.act(CancelJob{job});
        return;
      case 1:
        (void)drive_.act(ReopenSubmission{job});
        return;
      case 2:
        if (!failed.empty())
          (void)drive_.act(Rerun{.task = dice_.pick(failed).id, .note = "again"});
        return;
      case 3:
        if (!failed.empty())
          (void)drive_.act(DiscardDeadLetter{dice_.pick(failed).id, "enough", "eve"});
        return;
      case 4:
        if (!items.empty() && dice_.one_in(3)) (void)drive_.act(CancelItem{dice_.pick(items).id});
        return;
      default:
        if (!reviews.empty()) answer(dice_.pick(reviews));
        return;
    }
  }

  void answer(const Review& review) {
    Answer answer{.outcome = dice_.any_of({ReviewOutcome::approve, ReviewOutcome::approve,
                                           ReviewOutcome::approve_with_edits,
                                           ReviewOutcome::request_changes, ReviewOutcome::reject}),
                  .reviewer = "eve",
                  .note = "because"};
    if (answer.outcome == ReviewOutcome::approve_with_edits) answer.edits = Json(77);
    if (dice_.one_in(3)) answer.effective_at = drive_.clock().now() + std::chrono::seconds(2);
    (void)drive_.act(AnswerReview{review.id, answer});
  }

  Drive drive_;
  Dice dice_;
  std::vector<Workflow> workflows_;
  std::vector<JobId> jobs_;
  std::vector<Claimed> held_;
};

/// Lets a job succeed: budgets are lifted, every attempt succeeds, every review is approved.
inline void finish(Drive& drive, JobId id) {
  Store& store = drive.store();
  if (drive.job(id).submission_open) (void)store.add_items({.job = id, .close = true});
  (void)drive.act(SetBudget{id, {}});
  (void)drive.act(ResumeJob{id});
  for (int round = 0; round < 1'000; ++round) {
    EXPECT_TRUE(store.renew(drive.worker()));
    const Swept swept = *store.sweep({.self = drive.worker()});
    bool any = swept.woken + swept.answered > 0;
    const auto open =
        *drive.records().reviews({.job = id, .status = ReviewStatus::open, .limit = 1'000});
    for (const Review& review : open) {
      any = drive.act(AnswerReview{review.id, {.reviewer = "eve"}}).has_value() || any;
    }
    LaneShare share{.job = id, .lanes = {}, .max = 100};
    const std::vector<LaneHead> heads = *store.ready_lanes();
    for (const LaneHead& head : heads) {
      if (head.job == id) share.lanes.push_back({head.lane, head.stage});
    }
    const Claims claims = *store.claim({.worker = drive.worker(), .shares = {share}});
    for (const Claimed& one : claims.conditional) (void)drive.commit(skip_by_choice(one.task));
    for (const Claimed& one : claims.opened) (void)drive.close(one, succeeded());
    if (any || !claims.opened.empty() || !claims.conditional.empty()) continue;
    Timestamp next = swept.next_due;
    if (claims.next_open != no_time && (next == no_time || claims.next_open < next)) {
      next = claims.next_open;
    }
    if (next == no_time) return;
    drive.clock().advance_to(next);
  }
  ADD_FAILURE() << "job " << id.value() << " does not come to its end";
}

/// The outcome of a job, without ids and times.
inline std::map<std::string, std::string> ending_of(Records& records, JobId id) {
  std::map<std::string, std::string> ending;
  const Job job = *records.job(id);
  ending["job"] =
      std::to_string(static_cast<int>(state_of(job))) + " items " +
      std::to_string(job.items.succeeded) + "/" + std::to_string(job.items.failed) + "/" +
      std::to_string(job.items.cancelled) + "/" + std::to_string(job.items.adopted) + " attempts " +
      std::to_string(job.attempts_opened) + " cost " + std::to_string(job.used.cost_microusd);
  const auto tasks = *records.tasks({.job = id, .limit = 1'000'000});
  for (const Task& task : tasks) {
    const std::string item = task.item ? records.item(task.item)->key : "";
    const std::string child =
        task.child ? task.child->key + "." + std::to_string(task.child->expansion) : "";
    const std::string name = item + "/" + std::to_string(at(task.stage())) + "/" + child;
    ending[name] = std::to_string(static_cast<int>(task.kind())) + " after " +
                   std::to_string(task.attempts) + " in epoch " + std::to_string(task.epoch) +
                   ": " + records.output(task.id)->output.text();
  }
  const auto items = *records.items({.job = id, .limit = 1'000'000});
  for (const Item& item : items) {
    std::string& told = ending["item " + item.key];
    told = std::to_string(static_cast<int>(item.state));
    const auto outputs = *records.outputs(item.id);
    for (const StageOutput& one : outputs) told += " " + one.output.text();
  }
  return ending;
}

}  // namespace pawl::driving
