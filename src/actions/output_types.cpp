#include "actions/output_types.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "actions/file_values.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/records.hpp"
#include "workflow/field_types.hpp"

namespace pawl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t shown_max = 80;

std::string expected_word(FieldType type) {
  return type == FieldType::file ? "file" : std::string(name_of(type));
}

void check_field(const OutField& field, const Json& value, bool of_children,
                 std::vector<FieldMisfit>& found) {
  if (!of_children) {
    if (!fits(value, field.type)) {
      found.push_back({field.name, expected_word(field.type), shown(value)});
    }
    return;
  }
  if (!is_array(value)) {
    found.push_back({field.name, "list of " + expected_word(field.type), shown(value)});
    return;
  }
  std::size_t place = 0;
  for (const Json& element : elements(value)) {
    if (!element.is_null() && !fits(element, field.type)) {
      found.push_back({field.name + "[" + std::to_string(place) + "]", expected_word(field.type),
                       shown(element)});
    }
    ++place;
  }
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const auto [folder_end, path_at] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return folder_end == folder.end() && path_at != path.end();
}

}  // namespace

std::string text_of(const FieldMisfit& misfit) {
  return misfit.field + ": expected " + misfit.expected + ", got " + misfit.actual;
}

std::string shown(const Json& value) {
  std::string text = string_of(value).value_or(value.text());
  if (text.size() <= shown_max) return text;
  std::size_t end = shown_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

std::vector<FieldMisfit> misfits(const std::vector<OutField>& out, const Json& output,
                                 bool of_children) {
  std::vector<FieldMisfit> found;
  if (out.empty()) return found;
  if (!is_object(output)) {
    found.push_back({"output", "object", shown(output)});
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
      found.push_back({name, "no such field: `out` does not declare it", shown(value)});
    }
  }
  return found;
}

Result<fs::path> file_in(const fs::path& folder, const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid, "no file is named");
  }
  std::error_code error;
  const fs::path whole = fs::canonical(folder / path, error);
  if (error) return fail(ErrorCode::invalid, "no file " + path + " (" + error.message() + ")");
  if (!fs::is_regular_file(whole, error)) {
    return fail(ErrorCode::invalid, path + " is not a regular file");
  }
  if (!fs::path(path).is_absolute() && !is_inside(whole, fs::canonical(folder, error))) {
    return fail(ErrorCode::invalid, path + " leads out of $PAWL_DIR; give its absolute path");
  }
  return whole;
}

Result<Json> keep_files(const std::vector<OutField>& out, const Json& output,
                        const fs::path& folder, Store& store, const Patience& patience,
                        std::vector<FieldMisfit>& unfit) {
  auto object = members(output);
  for (auto& [name, value] : object) {
    const auto field = std::ranges::find(out, name, &OutField::name);
    if (field == out.end() || field->type != FieldType::file) continue;
    if (const auto known = file_of(value); known && store.records().payload_path(known->sha256)) {
      continue;
    }
    const auto path = string_of(value);
    if (!path) {
      unfit.push_back({name, "the path of a file", shown(value)});
      continue;
    }
    const Result<fs::path> found = file_in(folder, *path);
    if (!found) {
      unfit.push_back({name, "a file", found.error().message});
      continue;
    }
    const Result<KeptFile> kept = ask_patiently(patience, [&] { return store.keep_file(*found); });
    if (!kept) return std::unexpected(kept.error());
    const std::string own_name = fs::path(*path).filename().string();
    value = file_value({.sha256 = kept->sha256,
                        .name = own_name.empty() ? found->filename().string() : own_name,
                        .size = kept->size});
  }
  return Json::object(object);
}

}  // namespace pawl
