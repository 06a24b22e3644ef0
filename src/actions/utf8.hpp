#pragma once

/// Whether bytes are text.

#include <string>
#include <string_view>

#include "pawl/codec/json.hpp"

namespace pawl {

[[nodiscard]] inline bool is_utf8(std::string_view bytes) {
  // Quoting replaces what is not UTF-8, so only text comes back as it was.
  return string_of(Json(bytes)) == bytes;
}

}  // namespace pawl
