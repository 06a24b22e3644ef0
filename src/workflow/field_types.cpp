#include "workflow/field_types.hpp"

#include <algorithm>

#include "pawl/codec/json.hpp"
#include "workflow/file_value.hpp"

namespace pawl::workflow {

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

std::optional<FieldType> field_type(std::string_view word) {
  const std::vector<std::string>& words = field_type_words();
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<FieldType>(found - words.begin());
}

}  // namespace pawl::workflow
