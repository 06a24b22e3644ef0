#pragma once

/// I7, I10, I12: the job-wide tasks of a job, held against what they need of every item and of each
/// other.

#include <optional>
#include <span>
#include <vector>

#include "store/verify/checks.hpp"

namespace pawl::store {

/// Takes the tasks of a job first, then its items, then is asked. It keeps a task for each job-wide
/// stage and nothing of items.
class JobWideCheck {
 public:
  /// All must outlive it.
  JobWideCheck(const Job& job, const Workflow& workflow, Findings& findings);

  /// Any task of the job; those of items and children are passed over.
  void take(const Task& task, std::span<const Attempt> attempts);
  /// An item with its own tasks: what has begun has waited for it. One that was submitted later,
  /// when the submission was opened again, came too late to be waited for.
  void see(const Item& item, const std::vector<Task>& tasks);
  void finish(const JobTally& rows);

 private:
  struct Stored {
    Task task;
    std::optional<Timestamp> began;  ///< when its first attempt was opened, if any is of this epoch
  };

  [[nodiscard]] bool is_satisfied(StageIndex need) const;
  [[nodiscard]] bool is_broken(StageIndex need) const;
  void check_stage(StageIndex stage, const JobTally& rows);
  void check_idle(StageIndex stage, const JobTally& rows);

  const Job& job_;
  const Workflow& workflow_;
  Findings& findings_;
  std::vector<std::optional<Stored>> stored_;  ///< by stage
};

}  // namespace pawl::store
