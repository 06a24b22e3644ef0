#pragma once

/// Columns of many rows as PostgreSQL arrays in binary form, for `unnest`.
///
/// A column holds numbers (bigint[]) or text (text[]); the kind is fixed when it is created. Null
/// fits both.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sql/session.hpp"

namespace pawl::postgres {

class ArrayColumn {
 public:
  enum class Kind : std::uint8_t { number, text };

  explicit ArrayColumn(Kind kind = Kind::number);

  void append(const sql::Value& value);
  [[nodiscard]] std::uint32_t size() const { return count_; }
  /// The bytes of the parameter. Valid until the next change.
  [[nodiscard]] const std::string& bytes();
  [[nodiscard]] Kind kind() const { return kind_; }
  void clear();

 private:
  Kind kind_;
  std::uint32_t count_ = 0;
  bool has_null_ = false;
  std::string bytes_;
};

/// The rows of one statement, column by column.
class ArrayRows {
 public:
  /// `kinds` has one letter for each column: n for numbers, t for text.
  explicit ArrayRows(std::string_view kinds);

  template <class... Values>
  void append(const Values&... values) {
    std::size_t at = 0;
    (columns_[at++].append(sql::value_of(values)), ...);
  }
  [[nodiscard]] std::uint32_t size() const { return columns_.front().size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::span<ArrayColumn> columns() { return columns_; }
  void clear();

 private:
  std::vector<ArrayColumn> columns_;
};

}  // namespace pawl::postgres
