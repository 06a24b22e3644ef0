#pragma once

#include <cstdint>

namespace pawl::sql {

/// The number of journal rows in one zone; part of every schema. A row of `journal_zones` holds the
/// smallest and the largest job and item of its zone, so that the events of one are found without
/// reading the rest.
inline constexpr std::int64_t journal_zone_rows = 1'024;

}  // namespace pawl::sql
