#include "postgres/parameters.hpp"

namespace pawl::postgres {

namespace {

std::string big_endian(std::int64_t number) {
  std::string bytes(8, '\0');
  auto left = static_cast<std::uint64_t>(number);
  for (std::size_t i = 8; i-- > 0; left >>= 8U) bytes[i] = static_cast<char>(left & 0xFFU);
  return bytes;
}

}  // namespace

Parameters::Parameters(std::span<const sql::Value> values) {
  for (const sql::Value& value : values) add(value);
}

void Parameters::add(TypeId type, std::string bytes, bool is_null) {
  types_.push_back(type);
  bytes_.push_back(std::move(bytes));
  is_null_.push_back(is_null);
}

Parameters& Parameters::add(const sql::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    add(type_int8, big_endian(*number));
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    add(type_text, std::string(*text));
  } else {
    add(type_unsaid, {}, true);
  }
  return *this;
}

Parameters& Parameters::add(ArrayColumn& column) {
  add(column.kind() == ArrayColumn::Kind::number ? type_int8_array : type_text_array,
      column.bytes());
  return *this;
}

Parameters& Parameters::add_numbers(std::span<const std::int64_t> numbers) {
  ArrayColumn column(ArrayColumn::Kind::number);
  for (const std::int64_t number : numbers) column.append(number);
  return add(column);
}

Parameters& Parameters::add_bytes(std::string_view bytes) {
  add(type_bytea, std::string(bytes));
  return *this;
}

Parameters& Parameters::add_all(ArrayRows& rows) {
  for (ArrayColumn& column : rows.columns()) add(column);
  return *this;
}

Parameters::Raw Parameters::raw() const {
  Raw raw;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    raw.values.push_back(is_null_[i] ? nullptr : bytes_[i].data());
    raw.lengths.push_back(static_cast<int>(bytes_[i].size()));
    raw.formats.push_back(1);
  }
  return raw;
}

}  // namespace pawl::postgres
