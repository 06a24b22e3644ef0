#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pawl/core/result.hpp"

namespace pawl::sql {

/// A list reads at most this many rows under one snapshot.
inline constexpr std::uint32_t rows_per_look = 1'000;

/// The cursor of most lists.
struct IdOf {
  template <class Row>
  auto operator()(const Row& row) const {
    return row.id;
  }
};

/// A page of the matching rows of a list that also contains others. Each call of `look` is a read
/// of its own, so that none delays the cleanup of old versions in the database. If few rows match,
/// the next call reads more rows.
///
/// `look(after, max)` returns the next rows, fewer than `max` only at the end. `place_of` returns
/// the place of a row in the list, which is the cursor.
template <class Place, class Look, class Fits, class PlaceOf = IdOf>
auto page_of(Place after, std::uint32_t limit, Look look, Fits fits, PlaceOf place_of = {})
    -> decltype(look(after, limit)) {
  typename decltype(look(after, limit))::value_type page;
  if (limit == 0) return page;
  for (std::uint32_t max = std::min(limit, rows_per_look);;
       max = std::min(2 * max, rows_per_look)) {
    auto rows = look(after, max);
    if (!rows) return std::unexpected(std::move(rows.error()));
    for (auto& row : *rows) {
      after = place_of(row);
      if (!fits(row)) continue;
      page.push_back(std::move(row));
      if (page.size() == limit) return page;
    }
    if (rows->size() < max) return page;
  }
}

}  // namespace pawl::sql
