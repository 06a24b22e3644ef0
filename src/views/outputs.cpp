#include "views/outputs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "pawl/codec/json.hpp"
#include "workflow/file_value.hpp"

namespace pawl::views {

using workflow::file_of;
using workflow::FileValue;

Json with_member(const Json& object, const std::string& key, Json value) {
  std::vector<std::pair<std::string, Json>> all = members(object);
  const auto there = std::ranges::find(all, key, &std::pair<std::string, Json>::first);
  if (there != all.end()) {
    there->second = std::move(value);
  } else {
    all.emplace_back(key, std::move(value));
  }
  return Json::object(all);
}

Json with_paths(Records& records, const Json& value) {
  if (!value.text().contains("\"$file\"")) return value;
  if (const std::optional<FileValue> file = file_of(value)) {
    const Result<std::filesystem::path> path = records.payload_path(file->sha256);
    return with_member(value, "path", path ? Json(path->string()) : Json());
  }
  if (is_array(value)) {
    std::vector<Json> all = elements(value);
    for (Json& one : all) one = with_paths(records, one);
    return Json::array(all);
  }
  if (!is_object(value)) return value;
  std::vector<std::pair<std::string, Json>> all = members(value);
  for (auto& [key, one] : all) one = with_paths(records, one);
  return Json::object(all);
}

}  // namespace pawl::views
