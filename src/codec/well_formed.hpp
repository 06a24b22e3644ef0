#pragma once

/// Whether text that a store gave back is still JSON.

#include <string_view>

namespace pawl {

/// One JSON value in valid UTF-8, and nothing after it. Unlike `parse_json` it has no limits and
/// takes a key twice: whatever was stored once is well-formed.
[[nodiscard]] bool is_well_formed_json(std::string_view text);

}  // namespace pawl
