#include "pawl/actions/work_files.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "files/regular_file.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/named_files.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;

/// A larger file is not read: its size and its time of change stand for its content.
constexpr std::size_t compared_bytes_max = std::size_t{64} * 1024 * 1024;

/// Whether a path leads into the directory, after links are resolved. What is outside belongs to
/// the machine.
bool is_within(const fs::path& directory, const fs::path& path) {
  std::error_code failed;
  const fs::path home = fs::canonical(directory, failed);
  if (failed) return false;
  const fs::path target = fs::canonical(path, failed);
  if (failed) return false;
  return std::ranges::mismatch(home, target).in1 == home.end();
}

/// The digest of a regular file. None for anything else, such as a directory or a pipe.
std::optional<Json> digest_of_content(const fs::path& path) {
  Sha256 digest;
  std::size_t size = 0;
  const Status read = files::read_regular_file(path, [&](std::string_view piece) -> Status {
    size += piece.size();
    if (size > compared_bytes_max) return fail(ErrorCode::refused, "too large to be compared");
    digest.update(piece);
    return {};
  });
  if (read) return Json(digest.finish_hex());
  if (size <= compared_bytes_max) return std::nullopt;
  std::error_code failed;
  const auto bytes = fs::file_size(path, failed);
  const auto changed_at = fs::last_write_time(path, failed).time_since_epoch().count();
  if (failed) return std::nullopt;
  return Json(std::to_string(bytes) + " bytes, changed at " + std::to_string(changed_at));
}

}  // namespace

Json work_files(const Workflow& workflow, const fs::path& directory, const Json& before) {
  std::map<std::string, Json> digests;
  for (const NamedFile& file : named_files(workflow)) {
    if (fs::path(file.path).is_absolute() || digests.contains(file.path)) continue;
    const bool was_compared = before.is_null() || JsonView(before)[file.path].exists();
    if (!was_compared && !file.is_script) continue;
    std::optional<Json> digest;
    if (is_within(directory, directory / file.path)) {
      digest = digest_of_content(directory / file.path);
    }
    const bool is_gone = !digest && was_compared && !before.is_null();
    if (digest || is_gone) digests.emplace(file.path, digest.value_or(Json()));
  }
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

namespace {

std::string combined(const std::string& digest, const std::string& files) {
  return digest.empty() ? digest : Sha256().update(digest).update(files).finish_hex();
}

}  // namespace

std::string compared_digest(const std::string& digest, const Json& files) {
  return members(files).empty() ? digest : combined(digest, canonical(files).text());
}

ItemSource compared_with_files(ItemSource items, const Json& files) {
  if (members(files).empty()) return items;
  return [items = std::move(items),
          files = canonical(files).text()](std::vector<NewItem>& page) -> Result<bool> {
    const std::size_t first = page.size();
    const Result<bool> read = items(page);
    for (std::size_t i = first; i < page.size(); ++i) {
      page[i].data_sha256 = combined(page[i].data_sha256, files);
    }
    return read;
  };
}

}  // namespace pawl
