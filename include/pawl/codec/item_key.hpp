#pragma once

/// The stable key of an item: the same however often and in whatever order its source is read.

#include <string>
#include <string_view>

#include "pawl/core/json.hpp"

namespace pawl {

/// The value at `id_path`, if that is a scalar; else a scalar item is its own key; else `id`,
/// `item_id` or `_id` of the data (a string or a number); else SHA-256 of its canonical JSON.
/// Empty strings and nulls name nothing and are passed over, so the key is never empty.
[[nodiscard]] std::string item_key(const Json& data, std::string_view id_path = {});

}  // namespace pawl
