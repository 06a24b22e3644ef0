#pragma once

/// The checks of `verify`, each over rows that were read together. They know no store.

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store/verify.hpp"

namespace pawl::store {

/// A sentence from its pieces.
template <class... Pieces>
std::string say(const Pieces&... pieces) {
  std::string out;
  const auto put = [&](const auto& piece) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(piece)>>) {
      out += std::to_string(piece);
    } else {
      out += piece;
    }
  };
  (put(pieces), ...);
  return out;
}

/// Collects violations of one job, item or task.
class Findings {
 public:
  explicit Findings(Verification& into) : into_(into) {}

  void about(const Job& job) { job_ = job.id, item_ = {}, task_ = {}; }
  void about(const Item& item) { item_ = item.id, task_ = {}; }
  void about(const Task& task) { item_ = task.item, task_ = task.id; }
  void about(JobId job) { job_ = job, item_ = {}, task_ = {}; }
  void about(const Job& job, ItemId item, TaskId task) {
    job_ = job.id, item_ = item, task_ = task;
  }
  void about(const Event& event) { job_ = event.job, item_ = event.item, task_ = event.task; }
  void add(std::string_view invariant, std::string message);
  void not_checked() { ++into_.decisions_not_checked; }

 private:
  Verification& into_;
  JobId job_;
  ItemId item_;
  TaskId task_;
};

/// What a job's counters should say, summed up from its rows.
struct JobTally {
  std::vector<StateCounts> stages;
  std::vector<StateCounts> children;
  ItemCounts items;
  std::int64_t attempts_opened = 0;
  std::int64_t attempts_open = 0;
  std::int64_t dead_letters = 0;
  std::int64_t failed_tasks = 0;
  std::int64_t item_tasks = 0;  ///< neither children nor job-wide
  Usage used;

  void count(const Task& task, const std::vector<Attempt>& attempts);
  void count(const Item& item);
};

/// I2, I3, I5, I6, I9: a task and its closed attempts. `moves` are those of its job
/// ("pawl/store/arrival.hpp"): what was decided in another store was decided under another id.
void check_task(const StageDefinition& stage, const Task& task,
                const std::vector<Attempt>& attempts, std::span<const std::int64_t> moves,
                const VerifyOptions& options, Findings& findings);

/// I2, I10: an expanded task and the children of its expansion.
void check_expansion(const Task& parent, const Expanded& rows, Findings& findings);

/// I7, I10, I12: an item and its own tasks, in stage order.
void check_item(const Job& job, const Workflow& workflow, const Item& item,
                const std::vector<Task>& tasks, Findings& findings);

/// I8: what a review says of itself, and of its task.
void check_review(const Review& review, const Task& task, Findings& findings);

/// I8, I16: a review follows the rules of its stage, and only people answered it, enough of them.
///
/// Who it was assigned to when somebody answered is not judged: that changes, and only the audit
/// trail tells how. Where the stage has no rules, a review without answers of its own is not judged
/// either: before answers were kept one by one, a review had only the one that took effect.
void check_answers(const ReviewRules& rules, const Job& job, const Review& review,
                   std::span<const GivenAnswer> given, Findings& findings);

/// I3, I10, I12, I14: a job's counters, the stages it has paused, and whether it can go on.
void check_job(const Job& job, const Workflow& workflow, const JobTally& rows, Findings& findings);

}  // namespace pawl::store
