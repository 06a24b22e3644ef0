#pragma once

/// Values that are stored as NULL, which takes no space.

#include <optional>
#include <string_view>

#include "pawl/core/json.hpp"

namespace pawl::sql {

[[nodiscard]] inline std::optional<std::string_view> unless_empty(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}
[[nodiscard]] inline std::optional<std::string_view> unless_null(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return std::string_view(json.text());
}

}  // namespace pawl::sql
