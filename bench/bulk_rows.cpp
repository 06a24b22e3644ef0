#include "bench/bulk_rows.hpp"

namespace pawl::bench {

namespace {

using Holds = BulkColumn::Holds;

bool is_text(const BulkColumn& column) {
  return column.holds == Holds::text || column.holds == Holds::null_text;
}

void add(std::string& list, const std::string& one) {
  if (!list.empty()) list += ", ";
  list += one;
}

}  // namespace

BulkRows::BulkRows(std::span<const BulkColumn> columns, Constants constants)
    : columns_(columns), constants_(constants) {
  for (const BulkColumn& column : columns_) {
    if (!is_sent(column)) continue;
    arrays_.emplace_back(is_text(column) ? BinaryArray::Kind::text : BinaryArray::Kind::number);
  }
}

bool BulkRows::is_sent(const BulkColumn& column) const {
  return constants_ == Constants::sent || column.holds == Holds::number ||
         column.holds == Holds::text;
}

void BulkRows::append(std::initializer_list<std::int64_t> numbers, std::string_view text) {
  const auto* number = numbers.begin();
  auto array = arrays_.begin();
  for (const BulkColumn& column : columns_) {
    if (!is_sent(column)) continue;
    switch (column.holds) {
      case Holds::number:
        array->append(*number++);
        break;
      case Holds::text:
        array->append(text);
        break;
      case Holds::constant:
        array->append(column.constant);
        break;
      case Holds::null:
      case Holds::null_text:
        array->append_null();
        break;
    }
    ++array;
  }
  ++size_;
}

BinaryValues BulkRows::take() {
  BinaryValues values;
  for (BinaryArray& array : arrays_) {
    values.add(array);
    array.clear();
  }
  size_ = 0;
  return values;
}

std::string BulkRows::value_of(const BulkColumn& column) const {
  if (is_sent(column)) return std::string("u.") + column.name;
  return column.holds == Holds::constant ? std::to_string(column.constant) : "NULL";
}

std::string BulkRows::source(int first) const {
  std::string arrays;
  std::string names;
  for (const BulkColumn& column : columns_) {
    if (!is_sent(column)) continue;
    add(arrays, "$" + std::to_string(first++) + (is_text(column) ? "::text[]" : "::bigint[]"));
    add(names, column.name);
  }
  return "unnest(" + arrays + ") AS u (" + names + ")";
}

std::string BulkRows::insert_into(const std::string& table) const {
  std::string names;
  std::string values;
  for (const BulkColumn& column : columns_) {
    const bool is_null = column.holds == Holds::null || column.holds == Holds::null_text;
    if (is_null && !is_sent(column)) continue;
    add(names, column.name);
    add(values, value_of(column));
  }
  return "INSERT INTO " + table + " (" + names + ") SELECT " + values + " FROM " + source();
}

std::string BulkRows::assignments(std::size_t from) const {
  std::string all;
  for (const BulkColumn& column : columns_.subspan(from)) {
    add(all, std::string(column.name) + " = " + value_of(column));
  }
  return all;
}

}  // namespace pawl::bench
