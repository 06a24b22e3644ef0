#pragma once

/// An item as a row of `items`.

#include <cstdint>

#include "pawl/core/item.hpp"
#include "sql/session.hpp"
#include "sql/sql_text.hpp"

namespace pawl::sql {

/// In the order that `item_of` reads.
inline constexpr char item_columns[] =
    "id, job, key, category, data, data_sha256, submitted_at, state, cancelled, sinks_left, "
    "failed_tasks, adopted_from";
/// The whole row, in the order of `item_values`.
inline constexpr auto item_row_columns = joined(item_columns, ", pass");

[[nodiscard]] Item item_of(const Cursor& row);

/// Calls `use` with all values of the row.
template <class Use>
auto item_values(const Item& item, std::uint32_t pass, Use use) {
  return use(item.id, item.job, item.key, item.category, item.data, item.data_sha256,
             item.submitted_at, item.state, item.cancelled, item.sinks_left, item.failed_tasks,
             item.adopted_from, pass);
}

}  // namespace pawl::sql
