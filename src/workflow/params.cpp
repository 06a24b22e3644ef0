#include <algorithm>
#include <optional>
#include <utility>

#include "codec/field_types.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl {

using codec::fits;

namespace {

constexpr std::size_t shown_max = 200;

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

/// Takes the values of the params from `given`, whatever form they have. `read` returns nothing for
/// a value that does not have the type, `shown` writes one for a message, `how` says how to give
/// one.
template <class Value, class Read, class Shown, class How>
Result<Json> bound(const std::vector<ParamSpec>& params, const std::map<std::string, Value>& given,
                   const Read& read, const Shown& shown, const How& how) {
  Error error;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, Json>> values;
  for (const ParamSpec& param : params) {
    names.push_back(param.name);
    if (const auto one = given.find(param.name); one != given.end()) {
      if (const std::optional<Json> value = read(param.type, one->second)) {
        values.emplace_back(param.name, *value);
      } else {
        note(error,
             "param \"" + param.name + "\" must be " + std::string(wanted(param.type)) + ", not " +
                 shown(one->second),
             {});
      }
    } else if (param.fallback) {
      values.emplace_back(param.name, *param.fallback);
    } else {
      note(error, "param \"" + param.name + "\" has no value", how(param.name));
    }
  }
  for (const auto& [name, value] : given) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string nearest = nearest_name(name, names);
    note(error, "the workflow has no param \"" + name + "\"",
         nearest.empty() ? std::string{} : "did you mean \"" + nearest + "\"?");
  }
  if (!error.message.empty()) return std::unexpected(error);
  return Json::object(values);
}

}  // namespace

Result<Json> bind_params(const std::vector<ParamSpec>& params,
                         const std::map<std::string, std::string>& given) {
  return bound(
      params, given, &read_as, [](const std::string& text) { return '"' + text + '"'; },
      [](const std::string& name) { return "give one with --param " + name + "=VALUE"; });
}

Result<Json> bind_param_values(const std::vector<ParamSpec>& params,
                               const std::map<std::string, Json>& given) {
  const auto read = [](FieldType type, const Json& value) {
    return fits(value, type) ? std::optional(value) : std::nullopt;
  };
  return bound(
      params, given, read, [](const Json& value) { return value.text().substr(0, shown_max); },
      [](const std::string& name) { return "give one in `params`: {\"" + name + "\": …}"; });
}

}  // namespace pawl
