#pragma once

/// The interface of the shared codecs and reads to a database.
///
/// A session prepares a statement once and returns its rows through a cursor. SQL is written for
/// both dialects: parameters are `?1`, `?2`, …, in the order of the values; booleans and numbers
/// are read as numbers. `INDEXED BY` is a hint for SQLite only.
///
/// All of it throws what the adapter throws; a store turns that into a `Result` at its boundary.
/// Threads: a session and its statements belong to one thread at a time.

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "pawl/core/ids.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/time.hpp"
#include "sql/stored.hpp"

namespace pawl::sql {

template <class T>
concept IdLike = requires(const T& id) {
  { id.value() } -> std::same_as<std::int64_t>;
};

/// The value of a parameter or a column. Text is not copied.
using Value = std::variant<std::nullptr_t, std::int64_t, std::string_view>;

[[nodiscard]] inline Value value_of(std::nullptr_t) { return nullptr; }
[[nodiscard]] inline Value value_of(std::string_view text) { return text; }
[[nodiscard]] inline Value value_of(const std::string& text) { return std::string_view(text); }
[[nodiscard]] inline Value value_of(const char* text) { return std::string_view(text); }
[[nodiscard]] inline Value value_of(const Json& json) { return std::string_view(json.text()); }
[[nodiscard]] inline Value value_of(Timestamp at) { return at.time_since_epoch().count(); }
[[nodiscard]] inline Value value_of(Duration time) { return time.count(); }
template <class T>
  requires std::integral<T> || std::is_enum_v<T>
[[nodiscard]] Value value_of(T number) {
  return static_cast<std::int64_t>(number);
}
template <IdLike T>
[[nodiscard]] Value value_of(const T& id) {
  return id.value();
}
template <class T>
[[nodiscard]] Value value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : Value(nullptr);
}

/// The rows that a statement returned, in the form of the adapter.
class RowSource {
 public:
  [[nodiscard]] virtual bool next() = 0;
  [[nodiscard]] virtual bool is_null(int column) const = 0;
  [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
  /// Valid until the next row. Empty for null.
  [[nodiscard]] virtual std::string_view view(int column) const = 0;
  /// Ends the read.
  virtual void let_go() noexcept = 0;

 protected:
  ~RowSource() = default;
};

/// The rows of a statement, one at a time; releases them at its end.
class Cursor {
 public:
  explicit Cursor(RowSource& rows) : rows_(&rows) {}
  Cursor(Cursor&& other) noexcept : rows_(std::exchange(other.rows_, nullptr)) {}
  Cursor& operator=(Cursor&&) = delete;
  ~Cursor() {
    if (rows_ != nullptr) rows_->let_go();
  }

  [[nodiscard]] bool next() { return rows_->next(); }

  [[nodiscard]] bool is_null(int column) const { return rows_->is_null(column); }
  [[nodiscard]] std::int64_t integer(int column) const { return rows_->integer(column); }
  [[nodiscard]] bool flag(int column) const { return integer(column) != 0; }
  template <class T>
  [[nodiscard]] T as(int column) const {
    if constexpr (IdLike<T>) {
      return T{integer(column)};
    } else if constexpr (std::same_as<T, Timestamp>) {
      return Timestamp{Duration{integer(column)}};
    } else {
      return static_cast<T>(integer(column));
    }
  }
  template <class T>
  [[nodiscard]] std::optional<T> optional(int column) const {
    if (is_null(column)) return std::nullopt;
    return as<T>(column);
  }
  /// Valid until the next row. Empty for null.
  [[nodiscard]] std::string_view view(int column) const { return rows_->view(column); }
  [[nodiscard]] std::string text(int column) const { return std::string(view(column)); }
  /// JSON that a codec wrote; null for SQL null. Throws a `Fault` if it is not JSON.
  [[nodiscard]] Json json(int column) const {
    return is_null(column) ? Json() : stored_json(text(column));
  }

 private:
  RowSource* rows_;
};

/// Reads the columns of a row from left to right.
class Columns {
 public:
  explicit Columns(const Cursor& row, int first = 0) : row_(row), at_(first) {}
  template <class T>
  [[nodiscard]] T as() {
    return row_.as<T>(at_++);
  }
  template <class T>
  void into(T& value) {
    if constexpr (std::same_as<T, std::string>) {
      value = row_.text(at_++);
    } else if constexpr (std::same_as<T, Json>) {
      value = row_.json(at_++);
    } else {
      value = row_.as<T>(at_++);
    }
  }
  template <class T>
  void into(std::optional<T>& value) {
    value = row_.optional<T>(at_++);
  }
  /// Empty for null.
  [[nodiscard]] std::string_view view() { return row_.view(at_++); }
  [[nodiscard]] bool is_null() const { return row_.is_null(at_); }
  void skip(int count = 1) { at_ += count; }

 private:
  const Cursor& row_;
  int at_;
};

/// A prepared statement that returns rows.
class Statement {
 public:
  /// While the cursor lives, the statement must not be used again.
  template <class... Values>
  [[nodiscard]] Cursor query(const Values&... values) {
    const std::array<Value, sizeof...(Values)> given{value_of(values)...};
    return Cursor(ask(given));
  }

 protected:
  ~Statement() = default;

 private:
  /// Copies what it needs from the values.
  [[nodiscard]] virtual RowSource& ask(std::span<const Value> values) = 0;
};

/// A connection, or a transaction on one.
class Session {
 public:
  /// The statement for this text, prepared once. REQUIRES: `sql` is a literal; its address is the
  /// key.
  [[nodiscard]] virtual Statement& prepared(const char* sql) = 0;

 protected:
  ~Session() = default;
};

}  // namespace pawl::sql
