#pragma once

/// Values that are stored as text in one column.

#include <optional>
#include <string>
#include <string_view>

#include "codec/values.hpp"
#include "sql/fault.hpp"

namespace pawl::sql {

/// The text of a value; empty becomes NULL.
template <class T>
[[nodiscard]] std::optional<std::string> encoded(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return codec::to_json_text(*value);
}

template <class T>
[[nodiscard]] T decoded(std::string_view text) {
  Result<T> value = codec::from_json_text<T>(text);
  if (!value) throw Fault(value.error());
  return *std::move(value);
}
template <class T>
[[nodiscard]] std::optional<T> decoded_or_none(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return decoded<T>(text);
}

}  // namespace pawl::sql
