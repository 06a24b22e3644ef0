#pragma once

/// Whether bytes are valid UTF-8.

#include <string>
#include <string_view>

#include "pawl/codec/json.hpp"

namespace pawl::actions {

[[nodiscard]] inline bool is_utf8(std::string_view bytes) {
  // Quoting replaces invalid UTF-8, so only valid text comes back unchanged.
  return JsonView(Json(bytes)).string() == bytes;
}

}  // namespace pawl::actions
