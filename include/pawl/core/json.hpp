#pragma once

/// JSON as a value: valid, compact text. The core stores and compares it and never looks inside;
/// reading and parsing live in "pawl/codec/json.hpp".
///
///   Json::object({{"words", 4214}, {"ok", true}, {"tags", Json::array({"a", "b"})}})

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace pawl {

class Json {
 public:
  /// null
  Json() = default;
  Json(std::nullptr_t) {}         // NOLINT(google-explicit-constructor)
  Json(const char* text);         // NOLINT(google-explicit-constructor)
  Json(std::string_view text);    // NOLINT(google-explicit-constructor)
  Json(const std::string& text);  // NOLINT(google-explicit-constructor)
  Json(std::same_as<bool> auto value) : text_(value ? "true" : "false") {}  // NOLINT
  /// The shortest text that reads back as the same number; null for NaN and infinity.
  Json(double value);  // NOLINT(google-explicit-constructor)
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  Json(T value) : text_(std::to_string(value)) {}  // NOLINT(google-explicit-constructor)

  static Json object(std::initializer_list<std::pair<std::string_view, Json>> members);
  static Json object(std::span<const std::pair<std::string, Json>> members);
  static Json array(std::initializer_list<Json> elements);
  static Json array(std::span<const Json> elements);

  /// Takes text that is known to be valid and compact because a store or a codec wrote it. Parse
  /// all other text with `parse_json`.
  static Json trusted(std::string text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool is_null() const noexcept { return text_ == "null"; }
  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
  friend bool operator==(const Json&, const Json&) = default;

 private:
  std::string text_ = "null";
};

/// Appends `text` as a JSON string, quotes included. Invalid UTF-8 becomes U+FFFD, so that the
/// result is always valid JSON.
void append_quoted(std::string& out, std::string_view text);

}  // namespace pawl
