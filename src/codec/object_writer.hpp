#pragma once

/// Appends one JSON object to a text, member by member, without members that have their default
/// value.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/codec/names.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/time.hpp"

namespace pawl::codec {

inline void append_value(std::string& out, const std::string& value) { append_quoted(out, value); }
inline void append_value(std::string& out, std::string_view value) { append_quoted(out, value); }
inline void append_value(std::string& out, const Json& value) { out += value.text(); }
inline void append_value(std::string& out, double value) { out += Json(value).text(); }
inline void append_value(std::string& out, bool value) { out += value ? "true" : "false"; }
inline void append_value(std::string& out, std::int64_t value) { out += std::to_string(value); }
inline void append_value(std::string& out, std::uint32_t value) { out += std::to_string(value); }
inline void append_value(std::string& out, Duration value) { append_value(out, value.count()); }
inline void append_value(std::string& out, Timestamp value) {
  append_value(out, value.time_since_epoch());
}
inline void append_value(std::string& out, const std::vector<std::string>& value) {
  out += '[';
  for (const std::string& element : value) {
    if (&element != &value.front()) out += ',';
    append_quoted(out, element);
  }
  out += ']';
}
template <class E>
  requires std::is_enum_v<E>
void append_value(std::string& out, E value) {
  append_quoted(out, name_of(value));
}

class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;
  ~ObjectWriter() { out_ += '}'; }

  /// Starts a member whose value the caller appends. `key` must not need escaping.
  std::string& member(std::string_view key) {
    if (!std::exchange(is_first_, false)) out_ += ',';
    out_ += '"';
    out_ += key;
    out_ += "\":";
    return out_;
  }
  template <class T>
  void write(std::string_view key, const T& value) {
    append_value(member(key), value);
  }
  template <class T>
  void write_unless(std::string_view key, const T& value, const T& usual) {
    if (!(value == usual)) write(key, value);
  }
  template <class T>
  void write_if_set(std::string_view key, const std::optional<T>& value) {
    if (value) write(key, *value);
  }

 private:
  std::string& out_;
  bool is_first_ = true;
};

}  // namespace pawl::codec
