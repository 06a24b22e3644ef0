#include "actions/output_types.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "actions/file_values.hpp"
#include "codec/field_types.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/records.hpp"
#include "text/utf8.hpp"

namespace pawl::actions {

using codec::file_of;
using codec::file_value;
using codec::fits;

namespace {

constexpr std::size_t shown_max = 80;

std::string expected_word(FieldType type) {
  return type == FieldType::file ? "file" : std::string(name_of(type));
}

/// As JSON, so that the text "1" is not mistaken for the number 1.
std::string shown_as_json(const Json& value) {
  const std::string& text = value.text();
  if (text.size() <= shown_max) return text;
  return std::string(text::beginning_of(text, shown_max)) + "…";
}

void check_field(const OutField& field, const Json& value, bool of_children,
                 std::vector<FieldMisfit>& found) {
  if (!of_children) {
    if (!fits(value, field.type)) {
      found.push_back({field.name, expected_word(field.type), shown_as_json(value)});
    }
    return;
  }
  if (!is_array(value)) {
    found.push_back({field.name, "list of " + expected_word(field.type), shown_as_json(value)});
    return;
  }
  std::size_t place = 0;
  for (const Json& element : elements(value)) {
    if (!element.is_null() && !fits(element, field.type)) {
      found.push_back({field.name + "[" + std::to_string(place) + "]", expected_word(field.type),
                       shown_as_json(element)});
    }
    ++place;
  }
}

bool is_file_field(const std::vector<OutField>& out, const std::string& name) {
  const auto field = std::ranges::find(out, name, &OutField::name);
  return field != out.end() && field->type == FieldType::file;
}

}  // namespace

std::string expected_type(const OutField& field, bool of_children) {
  return (of_children ? "list of " : "") + expected_word(field.type);
}

std::string text_of(const FieldMisfit& misfit) {
  return misfit.field + ": expected " + misfit.expected + ", got " + misfit.actual;
}

std::string shown(const Json& value) {
  std::string text = JsonView(value).string().value_or(value.text());
  if (text.size() <= shown_max) return text;
  return std::string(text::beginning_of(text, shown_max)) + "…";
}

std::vector<FieldMisfit> misfits(const std::vector<OutField>& out, const Json& output,
                                 bool of_children) {
  std::vector<FieldMisfit> found;
  if (out.empty()) return found;
  if (!is_object(output)) {
    found.push_back({"output", "object", shown_as_json(output)});
    return found;
  }
  const auto given = members(output);
  for (const OutField& field : out) {
    const auto value = std::ranges::find(given, field.name, &std::pair<std::string, Json>::first);
    if (value == given.end()) {
      found.push_back({field.name, expected_word(field.type), "missing"});
    } else {
      check_field(field, value->second, of_children, found);
    }
  }
  for (const auto& [name, value] : given) {
    if (std::ranges::find(out, name, &OutField::name) == out.end()) {
      found.push_back({name, "no such field: `out` does not declare it", shown_as_json(value)});
    }
  }
  return found;
}

std::vector<std::string> paths_of_files(const std::vector<OutField>& out, const Json& output) {
  std::vector<std::string> paths;
  if (!is_object(output)) return paths;
  for (const auto& [name, value] : members(output)) {
    if (!is_file_field(out, name)) continue;
    if (auto path = JsonView(value).string()) paths.push_back(std::move(*path));
  }
  return paths;
}

Result<Json> keep_files(const std::vector<OutField>& out, const Json& output, FileKeeper& keeper,
                        const Mask& mask, std::vector<FieldMisfit>& unfit) {
  auto object = members(output);
  for (auto& [name, value] : object) {
    if (!is_file_field(out, name)) continue;
    const auto known = file_of(value);
    if (known && keeper.store().records().payload_path(known->sha256)) {
      value = file_value(
          {.sha256 = known->sha256, .name = mask.whole(known->name), .size = known->size});
      continue;
    }
    const auto path = JsonView(value).string();
    if (!path) {
      unfit.push_back({name, "the path of a file", shown_as_json(value)});
      continue;
    }
    const Result<Result<FileKeeper::Kept>> kept = keeper.keep(*path);
    if (!kept) return std::unexpected(kept.error());
    if (!*kept) {
      unfit.push_back({name, "a file", kept->error().text()});
      continue;
    }
    const FileKeeper::Kept& file = **kept;
    value = file_value(
        {.sha256 = file.file.sha256, .name = mask.whole(file.name), .size = file.file.size});
  }
  return Json::object(object);
}

}  // namespace pawl::actions
