#include "sql/name_list.hpp"

#include "codec/object_writer.hpp"
#include "pawl/codec/json.hpp"
#include "sql/stored.hpp"

namespace pawl::sql {

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  codec::append_value(text, names);
  return text;
}

std::vector<std::string> names_from(std::string_view text) {
  const auto damaged = [] {
    return Fault(ErrorCode::corrupt, "a list of names is damaged", std::string(damaged_row_help));
  };
  const Json json = stored_json(std::string(text));
  if (!is_array(json)) throw damaged();
  std::vector<std::string> names;
  for (const Json& element : elements(json)) {
    Result<std::string> name = JsonView(element).string();
    if (!name) throw damaged();
    names.push_back(*std::move(name));
  }
  return names;
}

std::optional<std::string> names_text_or_null(const std::vector<std::string>& names) {
  if (names.empty()) return std::nullopt;
  return names_text(names);
}

std::vector<std::string> names_or_none(std::string_view text) {
  return text.empty() ? std::vector<std::string>() : names_from(text);
}

}  // namespace pawl::sql
