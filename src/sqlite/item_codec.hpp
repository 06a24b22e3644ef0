#pragma once

/// An item as a row of `items`.

#include <cstdint>

#include "pawl/core/item.hpp"
#include "sqlite/db.hpp"

namespace pawl::sqlite {

/// In the order that `item_of` reads.
inline constexpr char item_columns[] =
    "id, job, key, category, data, data_sha256, submitted_at, state, cancelled, sinks_left, "
    "failed_tasks, adopted_from";

[[nodiscard]] Item item_of(const Cursor& row);
void insert_item_row(Connection& connection, const Item& item, std::uint32_t pass);

}  // namespace pawl::sqlite
