#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pawl/core/result.hpp"

namespace pawl::sql {

/// No list reads more rows than this under one snapshot.
inline constexpr std::uint32_t rows_per_look = 1'000;

/// A page of the rows that fit, where some have to be looked at and passed over. Each look is a
/// read of its own, so that none keeps the database from tidying up behind it; a page that finds
/// little looks at more rows each time.
///
/// `look(after, max)` answers the next rows, fewer than `max` only at the end.
template <class Id, class Look, class Fits>
auto page_of(Id after, std::uint32_t limit, Look look, Fits fits) -> decltype(look(after, limit)) {
  typename decltype(look(after, limit))::value_type page;
  if (limit == 0) return page;
  for (std::uint32_t max = std::min(limit, rows_per_look);;
       max = std::min(2 * max, rows_per_look)) {
    auto rows = look(after, max);
    if (!rows) return std::unexpected(std::move(rows.error()));
    for (auto& row : *rows) {
      after = row.id;
      if (!fits(row)) continue;
      page.push_back(std::move(row));
      if (page.size() == limit) return page;
    }
    if (rows->size() < max) return page;
  }
}

}  // namespace pawl::sql
