#pragma once

/// The log as `verify` reads it: once, from the first event to the newest, and on from there
/// whenever a job's rows have been read. What it finds wrong in the order of the log it says at
/// once; what the rows should agree with it keeps.
///
/// It holds a few numbers for each job, one entry for each task that has begun and not ended, two
/// bits for each item that has settled, the ids of purged items, and those of the tasks that people
/// have skipped.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "store/verify/checks.hpp"
#include "store/verify/facts.hpp"

namespace pawl::store {

/// What the log says about one job.
struct JobStory {
  std::int64_t events = 0;
  bool submitted = false;
  bool untrusted = false;  ///< it was imported, and not accepted since
  std::optional<CancelCause> cancelled;
  EventSeq last_opening = 0;
  EventSeq last_limit = 0;  ///< the newest budget.reached
  Timestamp finished_at;    ///< of the newest job.finished
  FactSums told;            ///< without those of purged items
  /// Ends of attempts that say no length, before the first that does. Those of older versions.
  std::int64_t ends_without_length = 0;
  bool has_lengths = false;
  std::int64_t open = 0;     ///< attempts that were opened and not closed
  std::int64_t settled = 0;  ///< items that have settled at least once, purged ones left out
};

/// As what each item settled last.
class SettledItems {
 public:
  /// Whether it had never settled before.
  bool settle(ItemId item, ItemState state);
  [[nodiscard]] std::optional<ItemState> state_of(ItemId item) const;
  /// Whether it had settled.
  bool forget(ItemId item);

 private:
  static constexpr std::int64_t page_items = 4096;
  std::unordered_map<std::int64_t, std::array<std::uint8_t, page_items / 2>> pages_;
};

class LogReading {
 public:
  /// With `options.job` only what the log says about this job is read. All must outlive it.
  LogReading(Records& records, const VerifyOptions& options, Verification& into);

  /// Reads what has been written since.
  [[nodiscard]] Status catch_up();

  [[nodiscard]] EventSeq last() const { return last_; }
  [[nodiscard]] const JobStory& about(JobId job) const;
  /// The attempt of a task that is open at the end of its story.
  [[nodiscard]] std::optional<AttemptNumber> open_attempt(TaskId task) const;
  [[nodiscard]] std::optional<ItemState> settled_as(ItemId item) const {
    return settled_.state_of(item);
  }
  [[nodiscard]] bool is_purged(ItemId item) const { return purged_.contains(item); }
  /// Whether a person has skipped the task, and it has not begun since.
  [[nodiscard]] bool was_skipped_by_hand(TaskId task) const {
    return skipped_by_hand_.contains(task);
  }
  /// Every attempt of a job that is open at the end of its task's story. Looks at all stories.
  void each_open(JobId job, const std::function<void(TaskId, AttemptNumber)>& visit) const;
  /// The jobs that it mentions.
  void each_job(const std::function<void(JobId)>& visit) const;

 private:
  struct TaskStory {
    JobId job;
    AttemptNumber newest = 0;
    bool is_open = false;
  };

  void see(const Event& event);
  void check_place(const Event& event);
  void opened(const Event& event, JobStory& job);
  void closed(const Event& event, JobStory& job);
  void skipped(const Event& event);
  void ended(const Event& event);
  [[nodiscard]] Status leave_out_purged();

  Records& records_;
  const VerifyOptions& options_;
  Verification& into_;
  Findings findings_;
  EventSeq last_ = 0;
  std::unordered_map<JobId, JobStory> jobs_;
  std::unordered_map<TaskId, TaskStory> tasks_;  ///< begun, not ended
  SettledItems settled_;
  std::unordered_set<ItemId> purged_;
  std::unordered_set<ItemId> purged_lately_;  ///< their facts are still in the sums
  std::unordered_set<TaskId> skipped_by_hand_;
};

}  // namespace pawl::store
