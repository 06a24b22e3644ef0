#pragma once

/// The stable key of an item. It does not depend on when or in what order the source is read.

#include <string>
#include <string_view>

#include "pawl/core/json.hpp"

namespace pawl {

/// The value at `id_path`, if it is a scalar; else the item itself, if it is a scalar; else `id`,
/// `item_id` or `_id` of the data (a string or a number). Empty strings and nulls are passed over.
/// Empty if the data contains no such value.
[[nodiscard]] std::string own_key(const Json& data, std::string_view id_path = {});

/// Its own key; else the SHA-256 of its canonical JSON, so that the key is never empty.
[[nodiscard]] std::string item_key(const Json& data, std::string_view id_path = {});

}  // namespace pawl
