/// The audit trail: who did what to which record, and whether the trail is whole.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/digest.hpp"
#include "pawl/store/audit.hpp"
#include "pawl/store/records.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/call.hpp"
#include "service/api/cursor.hpp"

namespace pawl::service {
namespace {

Result<Page> oldest_first(Records& records, AuditFilter filter, const std::string& after,
                          std::uint32_t limit) {
  const Result<std::int64_t> last = number_of_cursor(after);
  if (!last) return std::unexpected(last.error());
  filter.after = *last;
  filter.limit = limit + 1;  // one more, to see whether there is another page
  const Result<std::vector<AuditEntry>> entries = records.audit(filter);
  if (!entries) return std::unexpected(entries.error());
  Page page;
  for (const AuditEntry& entry : *entries) {
    if (page.rows.size() == limit) break;
    page.rows.push_back(audit_document(entry));
  }
  if (entries->size() > limit) page.next = std::to_string((*entries)[limit - 1].number);
  return page;
}

Result<bool> has_entry(Records& records, std::int64_t number) {
  const auto found = records.audit({.after = number - 1, .limit = 1});
  if (!found) return std::unexpected(found.error());
  return !found->empty();
}

/// The number of the newest entry; 0: there is none. Entries are numbered without gaps, so few
/// reads are enough.
Result<std::int64_t> newest_entry(Records& records) {
  std::int64_t known = 0;
  std::int64_t beyond = 1;
  bool is_bounded = false;
  while (!is_bounded || beyond - known > 1) {
    const std::int64_t probe = is_bounded ? known + (beyond - known) / 2 : beyond;
    const Result<bool> exists = has_entry(records, probe);
    if (!exists) return std::unexpected(exists.error());
    (*exists ? known : beyond) = probe;
    if (!*exists) is_bounded = true;
    if (!is_bounded) beyond *= 2;
  }
  return known;
}

/// The entries below this number come next. A cursor beyond the trail begins at its end.
Result<std::int64_t> upper_end(Records& records, const std::string& after) {
  const Result<std::int64_t> cursor = number_of_cursor(after);
  if (!cursor || *cursor == 1) return cursor;
  const Result<bool> is_inside = *cursor > 1 ? has_entry(records, *cursor - 1) : false;
  if (!is_inside) return std::unexpected(is_inside.error());
  if (*is_inside) return cursor;
  Result<std::int64_t> newest = newest_entry(records);
  if (newest) *newest += 1;
  return newest;
}

bool is_chosen(const AuditEntry& entry, const AuditFilter& filter) {
  return (!filter.job || entry.job == filter.job) &&
         (filter.actor.empty() || entry.actor.name == filter.actor) &&
         (filter.act.empty() || entry.act == filter.act);
}

/// Reads the trail backwards. A page reads only so many entries, so that a filter that chooses few
/// of them takes no longer than others: it may be followed by others without being full.
Result<Page> newest_first(Records& records, const AuditFilter& filter, const std::string& after,
                          std::uint32_t limit) {
  constexpr std::int64_t read_max = 20'000;
  constexpr std::int64_t read_at_once = 500;
  const Result<std::int64_t> end = upper_end(records, after);
  if (!end) return std::unexpected(end.error());
  std::int64_t before = *end;
  const std::int64_t lowest = std::max<std::int64_t>(before - read_max, 1);
  Page page;
  while (before > lowest && page.rows.size() < limit) {
    const std::int64_t from = std::max(before - read_at_once, lowest);
    const auto entries =
        records.audit({.after = from - 1, .limit = static_cast<std::uint32_t>(before - from)});
    if (!entries) return std::unexpected(entries.error());
    before = from;
    for (auto entry = entries->rbegin(); entry != entries->rend(); ++entry) {
      if (!is_chosen(*entry, filter)) continue;
      page.rows.push_back(audit_document(*entry));
      if (page.rows.size() < limit) continue;
      before = entry->number;
      break;
    }
  }
  if (before > 1) page.next = std::to_string(before);
  return page;
}

Result<Reply> list_audit(Call& call) {
  const AuditFilter filter{.job = JobId{call.query.integer("job")},
                           .actor = call.query.text("actor"),
                           .act = call.query.text("act")};
  Records& records = call.records();
  if (filter.job) {
    if (const auto job = records.job(filter.job); !job) return std::unexpected(job.error());
  }
  const bool is_newest = call.query.text("order") == "newest";
  return List{.page = [&records, filter, is_newest](const std::string& after, std::uint32_t limit) {
    return is_newest ? newest_first(records, filter, after, limit)
                     : oldest_first(records, filter, after, limit);
  }};
}

Result<Reply> check_audit(Call& call) {
  const std::string head = call.query.text("head");
  if (!head.empty() && !is_sha256_hex(head)) {
    return fail(ErrorCode::invalid, "'head' is not a digest",
                "pass the head that an earlier check answered");
  }
  const Result<AuditCheck> check = verify_audit(call.records(), head);
  if (!check) return std::unexpected(check.error());
  return Document{audit_check_document(*check)};
}

}  // namespace

std::vector<Route> audit_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/audit",
       .access = Access::needs(Right::see_audit),
       .handle = list_audit,
       .operation = "listAudit",
       .tag = "audit",
       .summary = "Who did what to which record, from where and why.",
       .query = {{.name = "job",
                  .kind = FieldKind::integer,
                  .about = "Only entries about this job.",
                  .min = 1},
                 {.name = "actor",
                  .about = "Only entries of this person or program.",
                  .length_max = actor_name_max},
                 {.name = "act",
                  .about = "Only entries of this act, such as review.answer.",
                  .length_max = 100},
                 {.name = "order",
                  .about = "The oldest entries first, unless it is given. With `newest`, a page "
                           "may have fewer rows than its limit and still be followed by others.",
                  .words = {"oldest", "newest"}}},
       .kind = ReplyKind::list,
       .schema = "AuditEntry",
       .rows = "entries",
       .columns = {"number", "at", "by", "kind", "method", "address", "act", "job", "target",
                   "details", "reason", "before", "after", "origin", "digest"}},
      {.method = "GET",
       .path = "/api/v1/audit/verify",
       .access = Access::needs(Right::see_audit),
       .handle = check_audit,
       .operation = "verifyAudit",
       .tag = "audit",
       .summary = "Whether an entry of the audit trail was changed or removed.",
       .query = {{.name = "head",
                  .about = "The head that an earlier check answered: the trail must contain it.",
                  .length_max = sha256_hex_digits}},
       .schema = "AuditCheck"},
  };
}

}  // namespace pawl::service
