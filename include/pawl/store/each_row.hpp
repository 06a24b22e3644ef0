#pragma once

/// Reads a list of records to its end, one page at a time, so that no single read is long.

#include <concepts>
#include <utility>

#include "pawl/store/records.hpp"

namespace pawl {

namespace each_row_detail {

inline auto page(Records& records, const ItemFilter& filter) { return records.items(filter); }
inline auto page(Records& records, const TaskFilter& filter) { return records.tasks(filter); }
inline auto page(Records& records, const ReviewFilter& filter) { return records.reviews(filter); }
inline auto page(Records& records, const EventFilter& filter) { return records.events(filter); }
inline auto page(Records& records, const AuditFilter& filter) { return records.audit(filter); }
inline auto page(Records& records, const InboxFilter& filter) { return records.inbox(filter); }

/// Makes the filter continue after the last row of a page.
inline void advance(EventFilter& filter, const Event& last) { filter.after = last.seq; }
inline void advance(AuditFilter& filter, const AuditEntry& last) { filter.after = last.number; }
inline void advance(InboxFilter& filter, const Review& last) {
  filter.after_due = last.due_at;
  filter.after = last.id;
}
inline void advance(auto& filter, const auto& last) { filter.after = last.id; }

}  // namespace each_row_detail

/// Calls `see` with every row after `filter.after`, in order. `filter.limit` is the page size.
///
/// `see` may return void, to get all rows; or a bool, where false stops the reading; or a Status or
/// Result<bool>, whose error stops the reading and is returned. Rows that are added meanwhile are
/// seen if they come after the last page read.
template <class Filter, class See>
[[nodiscard]] Status each_row(Records& records, Filter filter, See&& see) {
  for (;;) {
    const auto rows = each_row_detail::page(records, filter);
    if (!rows) return std::unexpected(rows.error());
    for (const auto& row : *rows) {
      using Seen = decltype(see(row));
      if constexpr (std::same_as<Seen, bool>) {
        if (!see(row)) return {};
      } else if constexpr (std::same_as<Seen, Result<bool>>) {
        const Result<bool> seen = see(row);
        if (!seen) return std::unexpected(seen.error());
        if (!*seen) return {};
      } else if constexpr (std::same_as<Seen, Status>) {
        if (Status seen = see(row); !seen) return seen;
      } else {
        static_assert(std::same_as<Seen, void>);
        see(row);
      }
    }
    if (rows->size() < filter.limit) return {};
    each_row_detail::advance(filter, rows->back());
  }
}

}  // namespace pawl
