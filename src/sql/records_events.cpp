/// Events by cursor. For a job or an item, only the zones of the journal that may contain its
/// events are read. Each zone is a read of its own, so no snapshot is held for long, however far
/// away the next event is.

#include <algorithm>
#include <limits>

#include "codec/journal.hpp"
#include "sql/fault.hpp"
#include "sql/journal_zones.hpp"
#include "sql/reading.hpp"

namespace pawl::sql {

namespace {

// If a parameter is also compared with 0, the column comes first: PostgreSQL takes the type of a
// parameter from its first use.
constexpr char select_rows[] =
    "SELECT row, job, at, events FROM journal WHERE row >= ?1 AND row < ?2 "
    "AND (job = ?3 OR ?3 = 0) AND at >= ?4 ORDER BY row";
constexpr char select_next_zone[] =
    "SELECT zone FROM journal_zones WHERE zone >= ?1 "
    "AND (?2 BETWEEN job_lo AND job_hi OR ?2 = 0) "
    "AND (?3 BETWEEN item_lo AND item_hi OR ?3 = 0) ORDER BY zone LIMIT 1";
constexpr char select_last_row[] =
    "SELECT row FROM journal WHERE row > 0 ORDER BY row DESC LIMIT 1";
constexpr char select_newest[] =
    "SELECT row, job, at, events FROM journal WHERE row > 0 ORDER BY row DESC LIMIT 1";
constexpr char select_time[] = "SELECT at FROM journal WHERE row >= ?1 ORDER BY row LIMIT 1";

constexpr char select_arrived_row[] = "SELECT value FROM counters WHERE name = 'arrived_row'";

constexpr auto row_size = static_cast<EventSeq>(codec::events_per_row);

/// How much the clocks of two processes may differ, and thus how far the journal may be out of
/// order.
constexpr Duration clocks_differ_by = std::chrono::minutes(1);

/// The events of a row of the columns row, job, at, events.
std::vector<Event> events_of(const Cursor& row) {
  Result<std::vector<Event>> events =
      codec::read_events(row.view(3), row.integer(0), row.as<JobId>(1), row.as<Timestamp>(2));
  if (!events) throw Fault(events.error());
  return *std::move(events);
}

/// Adds the matching events of rows [from, end) until the page is full.
void read_rows(Session& session, const EventFilter& filter, std::int64_t from, std::int64_t end,
               std::vector<Event>& page) {
  // How the item appears in the text of a row about it; most rows need not be parsed.
  const std::string item = filter.item ? "," + std::to_string(filter.item.value()) : "";
  Cursor row = session.prepared(select_rows).query(from, end, filter.job, filter.since);
  while (page.size() < filter.limit && row.next()) {
    if (row.view(3).find(item) == std::string_view::npos) continue;
    for (Event& event : events_of(row)) {
      if (event.seq <= filter.after || (filter.item && event.item != filter.item)) continue;
      if (page.size() == filter.limit) break;
      page.push_back(std::move(event));
    }
  }
}

std::int64_t last_row(Session& session) {
  Cursor row = session.prepared(select_last_row).query();
  return row.next() ? row.integer(0) : 0;
}

/// The last row that came from another store; up to it, times are not in order. 0: no such row.
std::int64_t last_arrived_row(Session& session) {
  Cursor row = session.prepared(select_arrived_row).query();
  return row.next() ? row.integer(0) : 0;
}

/// The first row at or after `from` that may have the time `since` or later. Times grow with the
/// rows, as far as the clocks agree, so a binary search finds it.
std::int64_t first_row_since(Session& session, std::int64_t from, Timestamp since) {
  const auto is_early = [&](std::int64_t at) {
    Cursor row = session.prepared(select_time).query(at);
    return row.next() && row.as<Timestamp>(0) < since - clocks_differ_by;
  };
  if (const std::int64_t arrived = last_arrived_row(session); from <= arrived) {
    // Everything before rows from another store is older than the rows after them.
    if (!is_early(arrived + 1)) return from;
    from = arrived + 1;
  }
  std::int64_t end = last_row(session) + 1;
  if (from >= end || !is_early(from)) return from;
  while (from + 1 < end) {
    const std::int64_t middle = from + (end - from) / 2;
    (is_early(middle) ? from : end) = middle;
  }
  return end;
}

/// The row to continue with; none: there are no more.
std::optional<std::int64_t> read_zone(Session& session, const EventFilter& filter,
                                      std::int64_t from, std::vector<Event>& page) {
  std::int64_t zone = from / journal_zone_rows;
  if (filter.job || filter.item) {
    Cursor row = session.prepared(select_next_zone).query(zone, filter.job, filter.item);
    if (!row.next()) return std::nullopt;
    zone = row.integer(0);
  } else if (from > last_row(session)) {
    return std::nullopt;
  }
  const std::int64_t end = (zone + 1) * journal_zone_rows;
  read_rows(session, filter, std::max(from, zone * journal_zone_rows), end, page);
  return end;
}

}  // namespace

Result<EventSeq> SqlRecords::last_event() {
  return read([&](Session& session) -> Result<EventSeq> {
    Cursor row = session.prepared(select_newest).query();
    if (!row.next()) return 0;
    const std::vector<Event> events = events_of(row);
    return events.empty() ? 0 : events.back().seq;
  });
}

Result<std::vector<Event>> SqlRecords::events(const EventFilter& filter) {
  std::vector<Event> page;
  if (filter.after == std::numeric_limits<EventSeq>::max()) return page;
  std::optional<std::int64_t> from = std::max<std::int64_t>((filter.after + 1) / row_size, 1);
  if (filter.since != no_time) {
    const Result<std::int64_t> first = read([&](Session& session) -> Result<std::int64_t> {
      return first_row_since(session, *from, filter.since);
    });
    if (!first) return std::unexpected(first.error());
    from = *first;
  }
  while (from && page.size() < filter.limit) {
    const std::size_t size_before = page.size();
    const auto next = read([&](Session& session) -> Result<std::optional<std::int64_t>> {
      page.resize(size_before);
      return read_zone(session, filter, *from, page);
    });
    if (!next) return std::unexpected(next.error());
    from = *next;
  }
  return page;
}

}  // namespace pawl::sql
