#include "postgres/arrays.hpp"

#include <bit>
#include <concepts>
#include <cstring>

#include "pawl/core/result.hpp"
#include "postgres/types.hpp"

namespace pawl::postgres {

namespace {

// The header of a one-dimensional array: dimensions, has nulls, type, length, lower bound.
constexpr std::size_t head_bytes = 20;

template <std::integral T>
void put(char* to, T number) {
  if constexpr (std::endian::native == std::endian::little) {
    if constexpr (sizeof(T) == 8) {
      number = static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(number)));
    } else {
      number = static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(number)));
    }
  }
  std::memcpy(to, &number, sizeof number);
}

}  // namespace

ArrayColumn::ArrayColumn(Kind kind) : kind_(kind) { clear(); }

void ArrayColumn::clear() {
  count_ = 0;
  has_null_ = false;
  bytes_.assign(head_bytes, '\0');
}

void ArrayColumn::append(const sql::Value& value) {
  ++count_;
  const std::size_t at = bytes_.size();
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    require(kind_ == Kind::number, "a number belongs in a column of numbers");
    bytes_.resize(at + 12);
    put(bytes_.data() + at, std::int32_t{8});
    put(bytes_.data() + at + 4, *number);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    require(kind_ == Kind::text, "text belongs in a column of text");
    bytes_.resize(at + 4);
    put(bytes_.data() + at, static_cast<std::int32_t>(text->size()));
    bytes_.append(*text);
  } else {
    has_null_ = true;
    bytes_.resize(at + 4);
    put(bytes_.data() + at, std::int32_t{-1});
  }
}

const std::string& ArrayColumn::bytes() {
  char* head = bytes_.data();
  put(head, std::int32_t{1});
  put(head + 4, std::int32_t{has_null_ ? 1 : 0});
  put(head + 8, static_cast<std::int32_t>(kind_ == Kind::number ? type_int8 : type_text));
  put(head + 12, static_cast<std::int32_t>(count_));
  put(head + 16, std::int32_t{1});
  return bytes_;
}

ArrayRows::ArrayRows(std::string_view kinds) {
  columns_.reserve(kinds.size());
  for (const char kind : kinds) {
    columns_.emplace_back(kind == 't' ? ArrayColumn::Kind::text : ArrayColumn::Kind::number);
  }
}

void ArrayRows::clear() {
  for (ArrayColumn& column : columns_) column.clear();
}

}  // namespace pawl::postgres
