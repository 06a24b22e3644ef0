#include "actions/file_values.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "pawl/codec/json.hpp"
#include "pawl/store/records.hpp"

namespace pawl {

namespace {

constexpr std::string_view digest_prefix = "sha256:";

bool is_digest(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 255 &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

/// A name for a directory: what else stands in it could lead elsewhere.
std::string plain(std::string_view field) {
  std::string name;
  for (const char c : field.substr(0, 100)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += is_plain ? c : '_';
  }
  return name.empty() ? "file" : name;
}

}  // namespace

Json file_value(const FileValue& file) {
  return Json::object({{"$file", std::string(digest_prefix) + file.sha256},
                       {"name", file.name},
                       {"size", file.size}});
}

std::optional<FileValue> file_of(const Json& value) {
  if (!is_object(value) || value.text().find("\"$file\"") == std::string::npos) return std::nullopt;
  if (members(value).size() != 3) return std::nullopt;
  const auto part = [&](std::string_view key) { return member(value, key).value_or(Json()); };
  const auto digest = string_of(part("$file"));
  const auto name = string_of(part("name"));
  const auto size = integer_of(part("size"));
  if (!digest || !name || !size || !digest->starts_with(digest_prefix) || !is_file_name(*name)) {
    return std::nullopt;
  }
  FileValue file{.sha256 = digest->substr(digest_prefix.size()), .name = *name, .size = *size};
  if (!is_digest(file.sha256)) return std::nullopt;
  return file;
}

Result<std::string> FileLinks::path_of(const FileValue& file, std::string_view field) {
  const Result<std::filesystem::path> target = store_->records().payload_path(file.sha256);
  if (!target) return std::unexpected(target.error());
  const std::string folder = plain(field);
  const std::string first = folder + "/" + file.name;
  const auto known = made_.find({first, file.sha256});
  if (known != made_.end()) return known->second;
  std::error_code error;
  for (;;) {
    const int twin = ++twins_[first];
    const std::string name = twin == 1 ? folder : folder + "-" + std::to_string(twin);
    const std::filesystem::path link = folder_ / name / file.name;
    std::filesystem::create_directories(link.parent_path(), error);
    if (!error) std::filesystem::create_symlink(std::filesystem::absolute(*target), link, error);
    if (error == std::errc::file_exists) continue;
    if (error) {
      return fail(ErrorCode::unavailable, "cannot make " + link.string() + ": " + error.message());
    }
    return made_[{first, file.sha256}] = link.string();
  }
}

Result<Json> FileLinks::with_paths(const Json& value, std::string_view field) {
  if (value.text().find("\"$file\"") == std::string::npos) return value;
  if (const auto file = file_of(value)) {
    const Result<std::string> path = path_of(*file, field);
    if (!path) return std::unexpected(path.error());
    return Json(*path);
  }
  if (is_array(value)) {
    std::vector<Json> list = elements(value);
    for (Json& element : list) {
      Result<Json> with = with_paths(element, field);
      if (!with) return with;
      element = std::move(*with);
    }
    return Json::array(list);
  }
  if (is_object(value)) {
    auto object = members(value);
    for (auto& [key, part] : object) {
      Result<Json> with = with_paths(part, key);
      if (!with) return with;
      part = std::move(*with);
    }
    return Json::object(object);
  }
  return value;
}

}  // namespace pawl
