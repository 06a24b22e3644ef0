#pragma once

/// The rows of one statement as arrays for `unnest`, column by column, from a table of the columns'
/// content.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/postgres_session.hpp"

namespace pawl::bench {

struct BulkColumn {
  enum class Holds : std::uint8_t { number, text, constant, null, null_text };
  const char* name;
  Holds holds = Holds::constant;
  std::int64_t constant = 0;
};

/// How constant values get to the server.
enum class Constants : std::uint8_t {
  sent,    ///< as arrays like all others, as in a program that does not know them in advance
  in_sql,  ///< as literals, and nulls not at all: the least that these rows need
};

class BulkRows {
 public:
  BulkRows(std::span<const BulkColumn> columns, Constants constants);

  /// Adds one row: the changing numbers, in the order of their columns, and the one text.
  void append(std::initializer_list<std::int64_t> numbers, std::string_view text = {});
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Returns the parameters and clears the rows.
  [[nodiscard]] BinaryValues take();

  /// INSERT INTO table … SELECT … FROM unnest(…)
  [[nodiscard]] std::string insert_into(const std::string& table) const;
  /// unnest(…) AS u (…), with `first` as the number of the first parameter.
  [[nodiscard]] std::string source(int first = 1) const;
  /// name = value, for an UPDATE, for every column from the given one on.
  [[nodiscard]] std::string assignments(std::size_t from) const;

 private:
  [[nodiscard]] bool is_sent(const BulkColumn& column) const;
  [[nodiscard]] std::string value_of(const BulkColumn& column) const;

  std::span<const BulkColumn> columns_;
  Constants constants_;
  std::vector<BinaryArray> arrays_;  ///< of the columns that are sent
  std::int64_t size_ = 0;
};

}  // namespace pawl::bench
