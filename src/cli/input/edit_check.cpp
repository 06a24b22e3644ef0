#include "cli/input/edit_check.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "cli/output/file_outputs.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/action.hpp"
#include "workflow/field_types.hpp"
#include "workflow/file_value.hpp"

namespace pawl::cli {

using workflow::file_of;
using workflow::file_value;
using workflow::FileValue;
using workflow::fits;

namespace fs = std::filesystem;

namespace {

std::string_view kind_of_json(const Json& value) {
  if (value.is_null()) return "null";
  if (is_object(value)) return "an object";
  if (is_array(value)) return "a list";
  if (is_string(value)) return "text";
  if (JsonView(value).integer()) return "a whole number";
  if (is_number(value)) return "a number";
  return "true or false";
}

bool is_of_same_kind(const Json& original, const Json& edited) {
  if (original.is_null()) return true;
  const bool both_are_numbers = is_number(original) && is_number(edited);
  // 4214 may become 4215, not 4214.5; 0.5 may become 1.
  if (both_are_numbers) return JsonView(edited).integer() || !JsonView(original).integer();
  return kind_of_json(original) == kind_of_json(edited);
}

std::optional<FieldType> declared_type(const StageDefinition& stage, const std::string& field) {
  const Result<ActionSpec> action = action_from(stage.params);
  if (!action) return std::nullopt;
  for (const OutField& out : action->out) {
    if (out.name == field) return out.type;
  }
  return std::nullopt;
}

Status wrong_kind(const std::string& field, std::string_view wanted, const Json& edited) {
  return pawl::fail(ErrorCode::invalid,
                    "field \"" + field + "\" must be " + std::string(wanted) +
                        ", but the edit made it " + std::string(kind_of_json(edited)),
                    "write a number as 4214, and text as \"4214\"");
}

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
    if (!path || (!old && declared_type(stage, field) != FieldType::file)) continue;
    const Result<KeptFile> kept = store.keep_file(session.directory() / *path);
    if (!kept) return std::unexpected(kept.error());
    value = file_value(
        {.sha256 = kept->sha256, .name = fs::path(*path).filename().string(), .size = kept->size});
  }
  return Json::object(fields);
}

Status check_edit(const StageDefinition& stage, const Json& original, const Json& edited) {
  if (edited == original) {
    return pawl::fail(ErrorCode::invalid, "the edit changes nothing",
                      "to approve the output as it is: pawl review approve");
  }
  if (!is_object(original)) {
    if (is_of_same_kind(original, edited)) return {};
    return pawl::fail(ErrorCode::invalid,
                      "the output must stay " + std::string(kind_of_json(original)) +
                          ", but the edit made it " + std::string(kind_of_json(edited)));
  }
  if (!is_object(edited)) {
    return pawl::fail(ErrorCode::invalid, "the edited output must be an object");
  }
  for (const auto& [field, value] : members(edited)) {
    const Result<Json> before = JsonView(original)[field].json();
    if (before && canonical(*before) == canonical(value)) continue;
    const std::optional<FieldType> declared = declared_type(stage, field);
    if (declared == FieldType::file || (before && file_of(*before))) {
      if (file_of(value)) continue;
      return pawl::fail(ErrorCode::invalid, "field \"" + field + "\" is a file",
                        "leave it as it is, or give the path of another file");
    }
    if (!declared && !before) {
      std::vector<std::string> known;
      for (const auto& [name, ignored] : members(original)) known.push_back(name);
      const std::string nearest = nearest_name(field, known);
      return pawl::fail(ErrorCode::invalid, "the output has no field \"" + field + "\"",
                        nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
    }
    if (declared && !fits(value, *declared)) {
      return wrong_kind(field, "of type " + std::string(name_of(*declared)), value);
    }
    if (!declared && before && !is_of_same_kind(*before, value)) {
      return wrong_kind(field, kind_of_json(*before), value);
    }
  }
  for (const auto& [field, value] : members(original)) {
    if (JsonView(edited)[field].exists()) continue;
    return pawl::fail(ErrorCode::invalid, "the edit lacks field \"" + field + "\"",
                      "pass the whole output, with your changes");
  }
  return {};
}

}  // namespace pawl::cli
