#include "sql/audit_codec.hpp"

#include "sql/sql_text.hpp"

namespace pawl::sql {

namespace {

constexpr auto select_newest =
    joined("SELECT ", audit_columns, " FROM audit WHERE number > 0 ORDER BY number DESC LIMIT 1");

}  // namespace

AuditEntry audit_entry_of(const Cursor& row) {
  Columns columns(row);
  AuditEntry entry;
  columns.into(entry.number);
  columns.into(entry.at);
  columns.into(entry.actor.name);
  columns.into(entry.actor.kind);
  columns.into(entry.actor.method);
  columns.into(entry.actor.address);
  columns.into(entry.act);
  columns.into(entry.job);
  columns.into(entry.target);
  columns.into(entry.details);
  columns.into(entry.reason);
  columns.into(entry.before);
  columns.into(entry.after);
  columns.into(entry.origin);
  columns.into(entry.digest);
  return entry;
}

AuditEntry newest_audit(Session& session) {
  Cursor row = session.prepared(select_newest).query();
  return row.next() ? audit_entry_of(row) : AuditEntry{};
}

}  // namespace pawl::sql
