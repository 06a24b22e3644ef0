#include <algorithm>
#include <optional>
#include <utility>

#include "codec/field_types.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl {

using codec::fits;

namespace {

/// What a value of the type looks like, for messages.
std::string_view wanted(FieldType type) {
  switch (type) {
    case FieldType::string:
    case FieldType::file:
      return "text";
    case FieldType::integer:
      return "a whole number";
    case FieldType::number:
      return "a number";
    case FieldType::boolean:
      return "true or false";
    case FieldType::json:
      return "one JSON value";
  }
  return "";
}

/// The text as a value of the type; empty if it is not one.
std::optional<Json> read_as(FieldType type, const std::string& text) {
  if (type == FieldType::string || type == FieldType::file) return Json(text);
  const Result<Json> value = parse_json(text);
  if (!value) return std::nullopt;
  return fits(*value, type) ? std::optional(*value) : std::nullopt;
}

void note(Error& error, const std::string& message, const std::string& help) {
  if (!error.message.empty()) error.message += "; ";
  error.message += message;
  if (help.empty()) return;
  if (!error.help.empty()) error.help += "; ";
  error.help += help;
}

}  // namespace

Result<Json> bind_params(const std::vector<ParamSpec>& params,
                         const std::map<std::string, std::string>& given) {
  Error error;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, Json>> bound;
  for (const ParamSpec& param : params) {
    names.push_back(param.name);
    if (const auto text = given.find(param.name); text != given.end()) {
      if (const std::optional<Json> value = read_as(param.type, text->second)) {
        bound.emplace_back(param.name, *value);
      } else {
        note(error,
             "param \"" + param.name + "\" must be " + std::string(wanted(param.type)) +
                 ", not \"" + text->second + "\"",
             {});
      }
    } else if (param.fallback) {
      bound.emplace_back(param.name, *param.fallback);
    } else {
      note(error, "param \"" + param.name + "\" has no value",
           "give one with --param " + param.name + "=VALUE");
    }
  }
  for (const auto& [name, text] : given) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string nearest = nearest_name(name, names);
    note(error, "the workflow has no param \"" + name + "\"",
         nearest.empty() ? std::string{} : "did you mean \"" + nearest + "\"?");
  }
  if (!error.message.empty()) return std::unexpected(error);
  return Json::object(bound);
}

}  // namespace pawl
