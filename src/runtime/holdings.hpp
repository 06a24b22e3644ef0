#pragma once

/// What an engine holds, compared with what the store says it holds.
///
/// Both change while the store is being asked: a claim may have been carried out whose answer has
/// not been read yet. So a difference counts only when two looks in a row show it.

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "pawl/store/store.hpp"

namespace pawl::runtime {

/// One open attempt: its task, and the version that the opening gave it.
using OpenName = std::pair<TaskId, Version>;

/// What the store says of this worker.
struct HeldInStore {
  WorkerId worker;
  Result<WorkerRecord> self;
  std::vector<Task> open;
  bool is_complete = false;
};

/// The attempts that the store has open in the name of a worker.
struct OpenAttempts {
  std::vector<Claimed> attempts;
  bool is_complete = false;  ///< false: the store did not answer all of it
};

/// The job and the item of a decision that was made from an older view.
struct ReadAgain {
  Result<Job> job;
  std::optional<Item> item;  ///< none: there is none, or it could not be read
};

/// What is left of what this engine knew, after the store was set back.
struct Remembered {
  std::vector<std::pair<JobId, Result<Job>>> jobs;
  std::vector<OpenName> forgotten;
  bool is_complete = true;
};

class Holdings {
 public:
  struct Differences {
    std::vector<OpenName> unknown;    ///< open in the store in our name, and not held
    std::vector<OpenName> withdrawn;  ///< held, and not open in the store in our name
  };

  /// Answers what is different now and was in the look before.
  [[nodiscard]] Differences compare(const std::set<OpenName>& stored,
                                    const std::set<OpenName>& held);

  /// Whether the last look showed a difference: then another look is due soon.
  [[nodiscard]] bool is_in_doubt() const { return !unknown_.empty() || !withdrawn_.empty(); }

  /// The worker has another name from now on.
  void clear();

 private:
  std::set<OpenName> unknown_;
  std::set<OpenName> withdrawn_;
};

/// The newest results that the store has acknowledged, so that a store which forgets some can be
/// told from one that never had them.
class AcknowledgedResults {
 public:
  struct Result {
    OpenName attempt;
    AttemptNumber number = 0;
    bool is_reported = false;  ///< as forgotten
  };

  void add(TaskId task, Version opened_as, AttemptNumber number);
  [[nodiscard]] bool contains(const OpenName& attempt) const;
  [[nodiscard]] const std::deque<Result>& newest() const { return results_; }
  /// Answers those that were not reported before; from now on they are.
  [[nodiscard]] std::vector<Result> report(const std::vector<OpenName>& forgotten);

 private:
  std::deque<Result> results_;
};

}  // namespace pawl::runtime
