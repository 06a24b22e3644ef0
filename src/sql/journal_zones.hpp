#pragma once

#include <cstdint>

namespace pawl::sql {

/// Journal rows of one zone; part of every schema. A row of `journal_zones` says which jobs and
/// items its zone has, at the least and at the most, so that the events of one are found without
/// reading the rest.
inline constexpr std::int64_t journal_zone_rows = 1'024;

}  // namespace pawl::sql
