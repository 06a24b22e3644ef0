#pragma once

/// What every write transaction of every store does, written once.
///
/// A ledger lives for one transaction and carries out one verb. It applies the core's decisions to
/// rows, keeps the counters of jobs and items beside them, and releases what has become ready. At
/// the end it brings every job that it touched up to date. It holds no rule of its own: whether
/// something may run, what an answer means and when a job has ended is asked of the core.
///
/// If a verb returns an error, the transaction has to be rolled back.

#include <span>
#include <vector>

#include "store/ledger/verbs.hpp"

namespace pawl::store {

class Ledger {
 public:
  Ledger(Rows& rows, Timestamp now)
      : books_(rows, now), admission_(books_), flow_(books_, admission_) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  [[nodiscard]] Result<Job> create_job(const NewJob& fresh);
  /// `not_found` if the worker that the first attempts are opened for is gone.
  [[nodiscard]] Result<Added> add_items(const AddItems& chunk);
  [[nodiscard]] Result<Submitted> submit(const NewJob& fresh, const AddItems& chunk);
  /// `not_found` if the worker is gone.
  [[nodiscard]] Result<Claims> claim(const ClaimRequest& request);
  /// `unavailable` if the worker's newest batch has this number: it was written before.
  [[nodiscard]] Result<Committed> commit(WorkerId worker, BatchNumber batch,
                                         std::span<const Step> steps, const Refill& refill);
  [[nodiscard]] Swept sweep(const SweepRequest& request);
  [[nodiscard]] Result<Job> act(const Act& act, const Actor& actor);
  [[nodiscard]] Status change(const PeopleChange& change, const Actor& actor);
  [[nodiscard]] Result<Arriving> receive(const Arrival& arrival);

 private:
  template <class Kind>
  [[nodiscard]] Kind verb() {
    return {books_, admission_, flow_};
  }
  [[nodiscard]] Status check_presence(WorkerId worker);
  /// The same for the worker that the first attempts of new items are opened for, if any.
  [[nodiscard]] Status check_opener(const AddItems& chunk);
  /// Brings the touched jobs up to date, writes them, and returns where each one stands.
  std::vector<JobMark> finish();
  /// Finishes after a verb that returns a job; returns the job as it is then.
  Result<Job> finish(const Result<Job>& answer);

  Books books_;
  Admission admission_;
  TaskFlow flow_;
};

}  // namespace pawl::store
