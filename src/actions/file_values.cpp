#include "actions/file_values.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "actions/plain_name.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/records.hpp"

namespace pawl::actions {

using codec::file_of;
using codec::FileValue;

Result<std::string> FileLinks::path_of(const FileValue& file, std::string_view field) {
  const Result<std::filesystem::path> target = store_->records().payload_path(file.sha256);
  if (!target) return std::unexpected(target.error());
  const std::string folder = field.empty() ? "file" : plain_name(field);
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
      return fail(ErrorCode::unavailable,
                  "cannot create " + link.string() + ": " + error.message());
    }
    targets_.push_back(*target);
    return made_[{first, file.sha256}] = link.string();
  }
}

bool FileLinks::has(std::string_view sha256) const {
  return std::ranges::any_of(made_, [&](const auto& one) { return one.first.second == sha256; });
}

bool FileLinks::leads_to(const std::filesystem::path& real_path) const {
  return std::ranges::any_of(targets_, [&](const std::filesystem::path& target) {
    std::error_code ignored;
    return std::filesystem::canonical(target, ignored) == real_path;
  });
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

}  // namespace pawl::actions
