#pragma once

/// The audit entries of one transaction. They are written at its end: on PostgreSQL, a transaction
/// that appends keeps others from appending until it commits.

#include <string>
#include <vector>

#include "pawl/store/audit.hpp"
#include "store/ledger/rows.hpp"

namespace pawl::store {

class AuditTrail {
 public:
  AuditTrail(Rows& rows, Timestamp now) : rows_(rows), now_(now) {}

  /// Keeps others from appending from now to the commit. Call it before any job is touched, or
  /// after all of them: whoever has the lock must not wait for a job.
  void lock();
  /// The time is now, unless the entry came from another store.
  void note(AuditEntry entry);
  /// Numbers and chains the entries, and writes them.
  void write();

 private:
  Rows& rows_;
  Timestamp now_;
  std::vector<AuditEntry> entries_;
};

}  // namespace pawl::store
