/// The audit trail.

#include <utility>

#include "pawl/core/text.hpp"
#include "sql/audit_codec.hpp"
#include "sql/looking.hpp"
#include "sql/reading.hpp"
#include "sql/sql_text.hpp"
#include "store/fitting.hpp"

namespace pawl::sql {

namespace {

constexpr char after_cursor[] = "number > ?1 ORDER BY number LIMIT ?2";
constexpr auto select_all = joined("SELECT ", audit_columns, " FROM audit WHERE ", after_cursor);
constexpr auto select_of_job =
    joined("SELECT ", audit_columns, " FROM audit INDEXED BY audit_of_job WHERE job = ?3 AND ",
           after_cursor);
constexpr auto select_of_actor =
    joined("SELECT ", audit_columns, " FROM audit INDEXED BY audit_of_actor WHERE actor = ?3 AND ",
           after_cursor);
constexpr auto select_of_act =
    joined("SELECT ", audit_columns, " FROM audit INDEXED BY audit_of_act WHERE act = ?3 AND ",
           after_cursor);

std::vector<AuditEntry> entries_from(Cursor row) {
  std::vector<AuditEntry> entries;
  while (row.next()) entries.push_back(audit_entry_of(row));
  return entries;
}

}  // namespace

Result<std::vector<AuditEntry>> SqlRecords::audit(const AuditFilter& given) {
  AuditFilter filter = given;
  filter.actor = valid_text(std::move(filter.actor));
  filter.act = valid_text(std::move(filter.act));
  const auto look = [&](std::int64_t after, std::uint32_t max) {
    return read([&](Session& session) -> Result<std::vector<AuditEntry>> {
      const auto next = [&](const char* sql, const auto&... values) {
        return entries_from(session.prepared(sql).query(after, max, values...));
      };
      if (filter.job) return next(select_of_job, filter.job);
      if (!filter.actor.empty()) return next(select_of_actor, filter.actor);
      if (!filter.act.empty()) return next(select_of_act, filter.act);
      return next(select_all);
    });
  };
  return page_of(
      filter.after, filter.limit, look,
      [&](const AuditEntry& entry) { return store::fits(entry, filter); },
      [](const AuditEntry& entry) { return entry.number; });
}

}  // namespace pawl::sql
