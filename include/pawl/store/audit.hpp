#pragma once

/// The audit trail: who did what to which record, from where and why. The ledger writes each entry
/// in the transaction of the act itself, so every act has its entry. The entries are
/// chained by their digests: one that was changed or removed is found by `verify_audit`.

#include <cstdint>
#include <string>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

class Records;

struct AuditEntry {
  std::int64_t number = 0;  ///< from 1, without gaps
  Timestamp at;
  Actor actor;      ///< without `at_most`
  std::string act;  ///< "review.answer"
  JobId job;        ///< none: not about a job
  /// "review 12", "job 3", "person anna"; in an imported entry with the number in the other store.
  std::string target;
  std::string details;  ///< what the act set: "approve", "to anna, ben"
  std::string reason;   ///< the note or reason that was given
  std::string before;   ///< digest of what the act changed, before and after it; empty: nothing
  std::string after;
  std::string origin;  ///< the export that it came with; empty: written here
  std::string digest;  ///< of all of the above and the digest of the entry before
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

/// The digest that an entry must have after one with the digest `previous` (empty for the first).
[[nodiscard]] std::string audit_digest(const AuditEntry& entry, std::string_view previous);

struct AuditFilter {
  JobId job;          ///< none: all
  std::string actor;  ///< empty: all
  std::string act;    ///< empty: all
  std::int64_t after = 0;
  std::uint32_t limit = 100;
};

/// What the chain says about the trail.
struct AuditCheck {
  std::int64_t entries = 0;
  std::string head;                 ///< the digest of the newest entry: keep it elsewhere
  std::vector<std::string> faults;  ///< one sentence each, at most 100
};
/// Reads the whole trail. If `expected_head` is not empty, the trail must contain an entry with
/// this digest. This shows whether the end of the trail was removed, or the whole trail replaced.
[[nodiscard]] Result<AuditCheck> verify_audit(Records& records,
                                              std::string_view expected_head = {});

}  // namespace pawl
