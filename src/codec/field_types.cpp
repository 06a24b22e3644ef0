#include "codec/field_types.hpp"

#include <algorithm>

#include "codec/file_value.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::codec {

const std::vector<std::string>& field_type_words() {
  // In the order of the enum. Stored with every workflow: words may be added, never changed.
  static const std::vector<std::string> words{"string",  "integer", "number",
                                              "boolean", "json",    "file"};
  return words;
}

bool fits(const Json& value, FieldType type) {
  switch (type) {
    case FieldType::string:
      return is_string(value);
    case FieldType::integer:
      return is_number(value) && value.text().find_first_of(".eE") == std::string::npos;
    case FieldType::number:
      return is_number(value);
    case FieldType::boolean:
      return is_boolean(value);
    case FieldType::json:
      return true;
    case FieldType::file:
      return file_of(value).has_value();
  }
  return false;
}

std::optional<FieldType> declared_type(const Json& params, std::string_view name) {
  const Result<std::string> word = field(params, "out")[name].string();
  return word ? field_type(*word) : std::nullopt;
}

std::optional<FieldType> field_type(std::string_view word) {
  const std::vector<std::string>& words = field_type_words();
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<FieldType>(found - words.begin());
}

}  // namespace pawl::codec

namespace pawl {

std::string_view name_of(FieldType type) {
  return codec::field_type_words().at(static_cast<std::size_t>(type));
}

}  // namespace pawl
