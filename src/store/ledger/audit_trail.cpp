#include "store/ledger/audit_trail.hpp"

#include <utility>

namespace pawl::store {

void AuditTrail::note(AuditEntry entry) {
  if (entry.origin.empty()) entry.at = now_;
  entry.actor.at_most.reset();
  entries_.push_back(std::move(entry));
}

void AuditTrail::lock() { (void)rows_.newest_audit(); }

void AuditTrail::write() {
  if (entries_.empty()) return;
  AuditEntry newest = rows_.newest_audit();
  for (AuditEntry& entry : entries_) {
    entry.number = newest.number + 1;
    entry.digest = audit_digest(entry, newest.digest);
    rows_.append_audit(entry);
    newest = std::move(entry);
  }
  entries_.clear();
}

}  // namespace pawl::store
