/// Events, by cursor. For a job or an item only those zones of the journal are read that can hold
/// something of it (see migrations.cpp).

#include <algorithm>

#include "codec/journal.hpp"
#include "sqlite/reading.hpp"
#include "sqlite/sqlite_rows.hpp"

namespace pawl::sqlite {

namespace {

constexpr char select_rows[] =
    "SELECT row, job, at, events FROM journal WHERE row >= ?1 AND row < ?2 "
    "AND (?3 = 0 OR job = ?3) ORDER BY row";
constexpr char select_zones[] =
    "SELECT zone FROM journal_zones WHERE zone >= ?1 "
    "AND (?2 = 0 OR ?2 BETWEEN job_lo AND job_hi) "
    "AND (?3 = 0 OR ?3 BETWEEN item_lo AND item_hi) ORDER BY zone";

constexpr auto row_size = static_cast<EventSeq>(events_per_row);

/// Takes what fits from rows [from, end) until the page is full.
void read_rows(Connection& connection, const EventFilter& filter, std::int64_t from,
               std::int64_t end, std::vector<Event>& page) {
  Cursor row = connection.prepared(select_rows).query(from, end, filter.job);
  while (page.size() < filter.limit && row.next()) {
    Result<std::vector<Event>> events =
        read_events(row.view(3), row.integer(0), row.as<JobId>(1), row.as<Timestamp>(2));
    if (!events) throw Fault(events.error());
    for (Event& event : *events) {
      if (event.seq <= filter.after || (filter.item && event.item != filter.item)) continue;
      if (page.size() == filter.limit) break;
      page.push_back(std::move(event));
    }
  }
}

}  // namespace

Result<std::vector<Event>> SqliteRecords::events(const EventFilter& filter) {
  return read([&](Connection& connection) -> Result<std::vector<Event>> {
    std::vector<Event> page;
    const std::int64_t first = std::max<std::int64_t>((filter.after + 1) / row_size, 1);
    if (!filter.job && !filter.item) {
      read_rows(connection, filter, first, INT64_MAX, page);
      return page;
    }
    Cursor zone =
        connection.prepared(select_zones).query(first / journal_zone_rows, filter.job, filter.item);
    while (page.size() < filter.limit && zone.next()) {
      const std::int64_t begin = zone.integer(0) * journal_zone_rows;
      read_rows(connection, filter, std::max(begin, first), begin + journal_zone_rows, page);
    }
    return page;
  });
}

}  // namespace pawl::sqlite
