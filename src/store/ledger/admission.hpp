#pragma once

/// Whether an attempt may be opened now, and the sums that are kept beside the rows: tasks by
/// state, open attempts, dead letters, the slots of pools and the openings of rates.

#include <map>
#include <string>

#include "store/ledger/books.hpp"

namespace pawl::store {

class Admission {
 public:
  explicit Admission(Books& books) : rows_(books.rows()), now_(books.now()) {}

  /// Counts a task in the state that its row has now.
  void enter(TouchedJob& touched, const Task& task);
  /// Takes it out of the counts of the state that its row had.
  void leave(TouchedJob& touched, const Task& task, StateKind from, bool was_discarded = false);

  /// Checks the budgets, whether the stage is paused, the job's parallelism, the pool and the rate
  /// of the stage. A budget that is used up ends or pauses the job; the other limits only mean "not
  /// now".
  [[nodiscard]] bool may_open(TouchedJob& touched, StageIndex stage);
  /// The same for an attempt that takes over the slot of the one that the step closes. Only budgets
  /// and rates matter then.
  [[nodiscard]] bool may_open_after(TouchedJob& touched, const Step& step);

  /// Whether the worker has neither signed off nor been swept. Attempts opened for a worker that
  /// has already been swept would never be recovered.
  [[nodiscard]] bool is_present(WorkerId worker);

  /// The pools whose rate did not allow an opening, and when each allows the next one.
  [[nodiscard]] const std::map<std::string, Timestamp>& held_rates() const { return held_rates_; }

 private:
  [[nodiscard]] bool rate_allows(const TouchedJob& touched, StageIndex stage);

  Rows& rows_;
  Timestamp now_;
  std::map<std::string, Timestamp> held_rates_;
  std::map<WorkerId, bool> present_;  ///< the workers asked for, usually one
};

}  // namespace pawl::store
