#pragma once

/// Checks whether text that a store returned is still JSON.

#include <string_view>

namespace pawl::codec {

/// True for one JSON value in valid UTF-8 with nothing after it. Unlike `parse_json` it has no
/// limits and accepts duplicate keys: whatever was stored once is well-formed.
[[nodiscard]] bool is_well_formed_json(std::string_view text);

}  // namespace pawl::codec
