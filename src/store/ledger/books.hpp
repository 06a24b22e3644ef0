#pragma once

/// The books of one write transaction: its rows, its time, the jobs that it has touched, and what
/// it adds to the log and to the audit trail.

#include <map>
#include <span>
#include <vector>

#include "store/ledger/audit_trail.hpp"
#include "store/ledger/rows.hpp"

namespace pawl::store {

/// A job that the transaction has read and may change.
struct TouchedJob {
  Job* job = nullptr;  ///< the working copy
  const Workflow* workflow = nullptr;
  std::vector<Event> events;  ///< of the job itself; logged when the transaction ends
};

class Books {
 public:
  Books(Rows& rows, Timestamp now) : rows_(rows), now_(now), audit_(rows, now) {}
  Books(const Books&) = delete;
  Books& operator=(const Books&) = delete;

  [[nodiscard]] Rows& rows() { return rows_; }
  [[nodiscard]] Timestamp now() const { return now_; }

  /// Null if there is no such job. The pointer is valid until the transaction ends.
  TouchedJob* touch(JobId id);
  /// The same for a job that must exist because one of its records does.
  TouchedJob& touch_owner(JobId id);
  [[nodiscard]] std::map<JobId, TouchedJob>& touched() { return touched_; }

  // Every write of a task's row gives it its next version.

  /// False, and nothing written, if the row no longer has the expected version.
  [[nodiscard]] bool replace(Task& next, Version expected);
  /// False, and nothing written, if the task has a row already.
  [[nodiscard]] bool try_insert(Task& fresh);
  /// The same where another answer would be a bug.
  void rewrite(Task& next, const Task& before);
  void insert(Task& fresh);

  /// Gives a job its next generation, so that others notice the change.
  void mark_changed(Job& job) const;

  [[nodiscard]] AuditTrail& audit() { return audit_; }
  void log(JobId job, std::span<const Event> events);

 private:
  Rows& rows_;
  Timestamp now_;
  AuditTrail audit_;
  std::map<JobId, TouchedJob> touched_;
};

}  // namespace pawl::store
