#include "pawl/actions/work_files.hpp"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "actions/file_digest.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/named_files.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;

/// Only a regular file of the project counts. What is outside belongs to the machine.
bool is_in_project(const fs::path& directory, const std::string& path) {
  if (fs::path(path).is_absolute() || path.starts_with("..")) return false;
  std::error_code ignored;
  return fs::is_regular_file(directory / path, ignored);
}

}  // namespace

Result<Json> work_files(const Workflow& workflow, const fs::path& directory) {
  std::map<std::string, Json> digests;
  for (const NamedFile& file : named_files(workflow)) {
    if (!file.is_script || digests.contains(file.path)) continue;
    if (!is_in_project(directory, file.path)) continue;
    const Result<std::string> digest = actions::digest_of(directory / file.path);
    if (!digest) return std::unexpected(digest.error());
    digests.emplace(file.path, Json(*digest));
  }
  if (digests.empty()) return Json();
  return Json::object(std::vector<std::pair<std::string, Json>>(digests.begin(), digests.end()));
}

std::vector<std::string> changed_files(const Json& before, const Json& now) {
  std::map<std::string, std::pair<Json, Json>> digests;
  for (auto& [name, digest] : members(before)) digests[name].first = digest;
  for (auto& [name, digest] : members(now)) digests[name].second = digest;
  std::vector<std::string> changed;
  for (const auto& [name, both] : digests) {
    if (both.first != both.second) changed.push_back(name);
  }
  return changed;
}

ItemSource compared_with_files(ItemSource items, const Json& files) {
  if (files.is_null()) return items;
  return [items = std::move(items),
          files = canonical(files).text()](std::vector<NewItem>& page) -> Result<bool> {
    const std::size_t first = page.size();
    const Result<bool> read = items(page);
    for (std::size_t i = first; i < page.size(); ++i) {
      std::string& digest = page[i].data_sha256;
      if (!digest.empty()) digest = sha256_hex(digest + files);
    }
    return read;
  };
}

}  // namespace pawl
