#pragma once

/// An entry of the audit trail as a row of `audit`.

#include "pawl/store/audit.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// In the order of `audit_values` and of `audit_entry_of`.
inline constexpr char audit_columns[] =
    "number, at, actor, kind, method, address, act, job, target, details, note, digest_before, "
    "digest_after, origin, digest";

[[nodiscard]] AuditEntry audit_entry_of(const Cursor& row);
/// One without a number if there is none.
[[nodiscard]] AuditEntry newest_audit(Session& session);

/// Calls `use` with all values of the row; they are valid until it returns.
template <class Use>
auto audit_values(const AuditEntry& entry, Use use) {
  const Actor& actor = entry.actor;
  return use(entry.number, entry.at, actor.name, actor.kind, actor.method, actor.address, entry.act,
             entry.job, entry.target, entry.details, entry.reason, entry.before, entry.after,
             entry.origin, entry.digest);
}

}  // namespace pawl::sql
