#include "pawl/store/edits.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/field_types.hpp"
#include "codec/file_value.hpp"
#include "core/joined.hpp"
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

using Fields = std::map<std::string, Json>;

Fields fields_of(const Json& object) {
  Fields fields;
  for (auto& [field, value] : members(object)) fields.emplace(field, std::move(value));
  return fields;
}

/// A field that the edits changed or added. `before`: its value in the output; null: it has none.
Status check_field(const StageDefinition& stage, const Fields& output, const std::string& field,
                   const Json* before, const Json& value) {
  if (Status may = check_is_editable(stage, field); !may) return may;
  const std::optional<FieldType> declared = declared_type(stage.params, field);
  if (declared == FieldType::file || (before != nullptr && file_of(*before))) {
    if (file_of(value)) return {};
    return fail(ErrorCode::invalid, "field \"" + field + "\" is a file",
                "leave it as it is, or give the path of another file");
  }
  if (!declared && before == nullptr) {
    std::vector<std::string> known;
    for (const auto& [name, ignored] : output) known.push_back(name);
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

/// What is wrong with the edits, to report it at once.
class Faults {
 public:
  /// Nobody mends more than these in one go.
  static constexpr std::size_t reported_max = 20;

  [[nodiscard]] bool is_full() const { return messages_.size() >= reported_max; }
  void add(const Status& checked) {
    if (checked) return;
    messages_.push_back(checked.error().message);
    const std::string& help = checked.error().help;
    const bool is_new = std::ranges::find(helps_, help) == helps_.end();
    if (!help.empty() && is_new) helps_.push_back(help);
  }
  [[nodiscard]] Status together() const {
    if (messages_.empty()) return {};
    std::string message = joined(messages_, "; ");
    if (is_full()) message += "; and perhaps more";
    return fail(ErrorCode::invalid, std::move(message), joined(helps_, "; "));
  }

 private:
  std::vector<std::string> messages_;
  std::vector<std::string> helps_;
};

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
  const Fields before = fields_of(output);
  const Fields after = fields_of(edits);
  Faults faults;
  for (const auto& [field, value] : after) {
    if (faults.is_full()) break;
    const auto old = before.find(field);
    const bool is_new = old == before.end();
    if (!is_new && canonical(old->second) == canonical(value)) continue;
    faults.add(check_field(stage, before, field, is_new ? nullptr : &old->second, value));
  }
  for (const auto& [field, value] : before) {
    if (faults.is_full()) break;
    if (after.contains(field)) continue;
    faults.add(fail(ErrorCode::invalid, "the edit lacks field \"" + field + "\"",
                    "pass the whole output, with your changes"));
  }
  return faults.together();
}

}  // namespace pawl
