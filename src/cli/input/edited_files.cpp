#include "cli/input/edited_files.hpp"

#include <filesystem>
#include <string_view>

#include "cli/output/file_outputs.hpp"
#include "codec/field_types.hpp"
#include "codec/file_value.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::cli {

using codec::declared_type;
using codec::file_of;
using codec::file_value;
using codec::FileValue;

namespace fs = std::filesystem;

namespace {

/// The file value as it is recorded. Documents show a file with its path.
Json without_path(const Json& value) {
  std::vector<std::pair<std::string, Json>> parts = members(value);
  std::erase_if(parts, [](const auto& part) { return part.first == "path"; });
  return is_object(value) ? Json::object(parts) : value;
}

}  // namespace

Result<Json> with_files_kept(const Session& session, Store& store, const StageDefinition& stage,
                             const Json& original, const Json& edited) {
  if (!is_object(original) || !is_object(edited)) return edited;
  std::vector<std::pair<std::string, Json>> fields = members(edited);
  for (auto& [field, value] : fields) {
    const Result<Json> before = JsonView(original)[field].json();
    const std::optional<FileValue> old = before ? file_of(*before) : std::nullopt;
    const std::optional<FileValue> now = file_of(without_path(value));
    if (old && now && old->sha256 == now->sha256) value = *before;
    if (now && !(old && old->sha256 == now->sha256)) {
      return pawl::fail(ErrorCode::invalid, "field \"" + field + "\" names a file by its digest",
                        "leave it as it is, or give the path of another file");
    }
    const Result<std::string> path = JsonView(value).string();
    if (!path || (!old && declared_type(stage.params, field) != FieldType::file)) continue;
    const Result<KeptFile> kept = store.keep_file(session.directory() / *path);
    if (!kept) return std::unexpected(kept.error());
    value = file_value(
        {.sha256 = kept->sha256, .name = fs::path(*path).filename().string(), .size = kept->size});
  }
  return Json::object(fields);
}

}  // namespace pawl::cli
