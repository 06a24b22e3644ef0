#include "pawl/store/edits.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/field_types.hpp"
#include "codec/file_value.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/core/text.hpp"

namespace pawl {
namespace {

using codec::declared_type;
using codec::file_of;
using codec::fits;

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

std::unexpected<Error> wrong_kind(const std::string& field, std::string_view wanted,
                                  const Json& edited) {
  return fail(ErrorCode::invalid,
              "field \"" + field + "\" must be " + std::string(wanted) + ", but the edit made it " +
                  std::string(kind_of_json(edited)),
              "write a number as 4214, and text as \"4214\"");
}

bool has_shape(const StageDefinition& stage) {
  const bool is_of_a_file = is_object(stage.params) && !members(stage.params).empty();
  return is_of_a_file || !stage.editable.empty();
}

Status check_is_editable(const StageDefinition& stage, const std::string& field) {
  if (stage.editable.empty() || std::ranges::count(stage.editable, field) > 0) return {};
  std::string allowed;
  for (const std::string& name : stage.editable) allowed += (allowed.empty() ? "" : ", ") + name;
  return fail(ErrorCode::invalid,
              "field '" + field + "' of stage '" + stage.name + "' may not be edited",
              "editable: " + allowed);
}

/// A field that the edits changed or added. `before`: its value in the output, if it has one.
Status check_field(const StageDefinition& stage, const Json& output, const std::string& field,
                   const std::optional<Json>& before, const Json& value) {
  if (Status may = check_is_editable(stage, field); !may) return may;
  const std::optional<FieldType> declared = declared_type(stage.params, field);
  if (declared == FieldType::file || (before && file_of(*before))) {
    if (file_of(value)) return {};
    return fail(ErrorCode::invalid, "field \"" + field + "\" is a file",
                "leave it as it is, or give the path of another file");
  }
  if (!declared && !before) {
    std::vector<std::string> known;
    for (const auto& [name, ignored] : members(output)) known.push_back(name);
    const std::string nearest = nearest_name(field, known);
    return fail(ErrorCode::invalid, "the output has no field \"" + field + "\"",
                nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
  }
  if (declared && !fits(value, *declared)) {
    return wrong_kind(field, "of type " + std::string(name_of(*declared)), value);
  }
  if (!declared && !is_of_same_kind(*before, value)) {
    return wrong_kind(field, kind_of_json(*before), value);
  }
  return {};
}

}  // namespace

Status check_edits(const StageDefinition& stage, const Json& output, const Json& edits) {
  // An attempt that left nothing has nothing to compare with.
  if (!has_shape(stage) || output.is_null()) return {};
  if (!is_object(output) || file_of(output)) {
    if (is_of_same_kind(output, edits)) return {};
    return fail(ErrorCode::invalid, "the output must stay " + std::string(kind_of_json(output)) +
                                        ", but the edit made it " +
                                        std::string(kind_of_json(edits)));
  }
  if (!is_object(edits)) {
    return fail(ErrorCode::invalid, "the edited output must be an object");
  }
  for (const auto& [field, value] : members(edits)) {
    const Result<Json> original = JsonView(output)[field].json();
    const std::optional<Json> before = original ? std::optional(*original) : std::nullopt;
    if (before && canonical(*before) == canonical(value)) continue;
    if (Status good = check_field(stage, output, field, before, value); !good) return good;
  }
  for (const auto& [field, value] : members(output)) {
    if (JsonView(edits)[field].exists()) continue;
    return fail(ErrorCode::invalid, "the edit lacks field \"" + field + "\"",
                "pass the whole output, with your changes");
  }
  return {};
}

}  // namespace pawl
