#include "service/api/call.hpp"

#include <algorithm>

#include "pawl/core/text.hpp"
#include "service/api/url_text.hpp"

namespace pawl::service {
namespace {

/// Collects everything that is wrong with the input, to report it at once.
class Faults {
 public:
  void add(const std::string& fault) { text_ += (text_.empty() ? "" : "; ") + fault; }
  [[nodiscard]] bool is_empty() const { return text_.empty(); }
  [[nodiscard]] std::unexpected<Error> error(std::string help) const {
    return fail(ErrorCode::invalid, text_, std::move(help));
  }

 private:
  std::string text_;
};

std::string names_of(const std::vector<Field>& fields) {
  std::string names;
  for (const Field& field : fields) {
    names += (names.empty() ? "" : ", ") + std::string(field.name);
  }
  return names;
}

std::string words_of(const Field& field) {
  std::string words;
  for (const std::string_view word : field.words) {
    words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return words;
}

/// What is wrong with a value of the right type; empty: nothing.
std::string limits_broken(const Field& field, const Json& value) {
  if (field.kind == FieldKind::integer) {
    const std::int64_t number = JsonView(value).integer().value_or(0);
    if (number < field.min) return "must be at least " + std::to_string(field.min);
    if (number > field.max) return "must be at most " + std::to_string(field.max);
  }
  if (field.kind == FieldKind::text) {
    const std::string text = JsonView(value).string().value_or("");
    if (text.size() > field.length_max) {
      return "must have at most " + std::to_string(field.length_max) + " bytes";
    }
    const bool is_known =
        field.words.empty() || std::ranges::find(field.words, text) != field.words.end();
    if (!is_known) return "must be one of " + words_of(field);
  }
  if (field.kind == FieldKind::texts) {
    const std::vector<Json> texts = elements(value);
    if (texts.size() > field.length_max) {
      return "must have at most " + std::to_string(field.length_max) + " elements";
    }
    if (!std::ranges::all_of(texts, [](const Json& text) { return is_string(text); })) {
      return "must be a list of strings";
    }
  }
  return {};
}

/// What is wrong with a member of a body; empty: nothing.
std::string misfit_of(const Field& field, const Json& value) {
  const JsonView view(value);
  switch (field.kind) {
    case FieldKind::text:
      if (!is_string(view)) return "must be a string";
      break;
    case FieldKind::integer:
      if (!view.integer()) return "must be an integer";
      break;
    case FieldKind::number:
      if (!is_number(view)) return "must be a number";
      break;
    case FieldKind::flag:
      if (!is_boolean(view)) return "must be true or false";
      break;
    case FieldKind::texts:
      if (!is_array(view)) return "must be a list of strings";
      break;
    case FieldKind::object:
      if (!is_object(view)) return "must be an object";
      break;
    case FieldKind::any:
      return {};
  }
  return limits_broken(field, value);
}

/// The text as a JSON number, without white space around it.
std::optional<Json> number_in(const std::string& text) {
  Result<Json> number = parse_json(text);
  if (!number || !is_number(*number) || number->text() != text) return std::nullopt;
  return std::move(*number);
}

/// A parameter of a query as the value that its field has; none: it cannot be read as that.
std::optional<Json> value_of(const Field& field, const std::string& text) {
  switch (field.kind) {
    case FieldKind::integer:
    case FieldKind::number:
      return number_in(text);
    case FieldKind::flag:
      if (text != "true" && text != "false") return std::nullopt;
      return Json(text == "true");
    case FieldKind::texts: {
      std::vector<Json> texts;
      for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        if (end > begin) texts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
      }
      return Json::array(texts);
    }
    default:
      return Json(text);
  }
}

const Field* find_field(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

void note_unknown(Faults& faults, const std::vector<Field>& fields, std::string_view what,
                  const std::string& name) {
  std::vector<std::string> known;
  for (const Field& field : fields) known.emplace_back(field.name);
  const std::string nearest = nearest_name(name, known);
  faults.add("unknown " + std::string(what) + " '" + name + "'" +
             (nearest.empty() ? "" : " (did you mean '" + nearest + "'?)"));
}

/// `given`: the names that were there, with whatever value.
void note_missing(Faults& faults, const std::vector<Field>& fields, std::string_view what,
                  const std::vector<std::string>& given) {
  for (const Field& field : fields) {
    if (!field.is_required || std::ranges::find(given, field.name) != given.end()) continue;
    faults.add("missing " + std::string(what) + " '" + std::string(field.name) + "'");
  }
}

}  // namespace

const Json* Fields::find(std::string_view name) const {
  const auto found = std::ranges::find(
      values_, name, [](const auto& value) { return std::string_view(value.first); });
  return found == values_.end() ? nullptr : &found->second;
}

std::string Fields::text(std::string_view name) const {
  const Json* const value = find(name);
  return value == nullptr ? std::string() : JsonView(*value).string().value_or("");
}

std::int64_t Fields::integer(std::string_view name, std::int64_t fallback) const {
  const Json* const value = find(name);
  return value == nullptr ? fallback : JsonView(*value).integer().value_or(fallback);
}

double Fields::number(std::string_view name, double fallback) const {
  const Json* const value = find(name);
  return value == nullptr ? fallback : JsonView(*value).number().value_or(fallback);
}

bool Fields::flag(std::string_view name) const {
  const Json* const value = find(name);
  return value != nullptr && JsonView(*value).boolean().value_or(false);
}

std::vector<std::string> Fields::texts(std::string_view name) const {
  std::vector<std::string> texts;
  const Json* const value = find(name);
  if (value == nullptr) return texts;
  for (const Json& text : elements(*value)) {
    texts.push_back(JsonView(text).string().value_or(""));
  }
  return texts;
}

std::optional<Json> Fields::json(std::string_view name) const {
  const Json* const value = find(name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

Result<Fields> read_query(const Route& route, std::string_view query) {
  const std::vector<Field> known = query_of(route);
  Faults faults;
  std::vector<std::string> given;
  std::vector<std::pair<std::string, Json>> values;
  for (const auto& [name, text] : query_parts(query)) {
    if (!name || !text) {
      faults.add("the query has a malformed escape");
      continue;
    }
    const Field* const field = find_field(known, *name);
    if (field == nullptr) {
      note_unknown(faults, known, "parameter", *name);
      continue;
    }
    if (std::ranges::find(given, *name) != given.end()) {
      faults.add("parameter '" + *name + "' is given twice");
      continue;
    }
    given.push_back(*name);
    std::optional<Json> value = value_of(*field, *text);
    const std::string misfit = value ? misfit_of(*field, *value) : misfit_of(*field, Json());
    if (!misfit.empty()) {
      faults.add("parameter '" + *name + "' " + misfit);
      continue;
    }
    values.emplace_back(*name, std::move(*value));
  }
  note_missing(faults, known, "parameter", given);
  if (faults.is_empty()) return Fields(std::move(values));
  return faults.error(known.empty() ? "this address takes no parameters"
                                    : "it takes " + names_of(known));
}

Result<Fields> read_body(const Route& route, std::string_view body) {
  Faults faults;
  std::vector<std::string> given;
  std::vector<std::pair<std::string, Json>> values;
  if (!body.empty()) {
    const Result<Json> document = parse_json(body);
    if (!document) {
      return fail(ErrorCode::invalid, "the body is not valid JSON: " + document.error().message,
                  document.error().help);
    }
    if (!is_object(*document)) {
      return fail(ErrorCode::invalid, "the body must be a JSON object",
                  route.body.empty() ? "send {}" : "its members are " + names_of(route.body));
    }
    for (auto& [name, value] : members(*document)) {
      const Field* const field = find_field(route.body, name);
      if (field == nullptr) {
        note_unknown(faults, route.body, "member", name);
        continue;
      }
      if (value.is_null() && field->kind != FieldKind::any) continue;
      given.push_back(name);
      if (const std::string misfit = misfit_of(*field, value); !misfit.empty()) {
        faults.add("member '" + name + "' " + misfit);
        continue;
      }
      values.emplace_back(name, std::move(value));
    }
  }
  note_missing(faults, route.body, "member", given);
  if (faults.is_empty()) return Fields(std::move(values));
  return faults.error(route.body.empty() ? "this address takes no members"
                                         : "the members are " + names_of(route.body));
}

Call::Call(Backend& its_backend, Gatekeeper& its_gatekeeper, const Request& its_request,
           const Match& match, const Caller* its_caller, std::string its_address)
    : backend(its_backend),
      gatekeeper(its_gatekeeper),
      request(its_request),
      caller(its_caller),
      address(std::move(its_address)),
      match_(match) {}

const std::string& Call::part(std::string_view name) const {
  const auto found =
      std::ranges::find(match_.parts, name, &std::pair<std::string_view, std::string>::first);
  require(found != match_.parts.end(), "a route asks for a part that its path has");
  return found->second;
}

Result<std::int64_t> Call::number(std::string_view name) const {
  const std::string& text = part(name);
  const std::optional<Json> value = number_in(text);
  const auto number = value ? JsonView(*value).integer() : Result<std::int64_t>(0);
  if (number && *number > 0) return *number;
  return fail(ErrorCode::not_found, "no such " + std::string(name) + ": '" + text + "'",
              "give its number, such as 41");
}

const Actor& Call::actor() const {
  require(caller != nullptr, "only a route that needs a sign-in asks who acts");
  return caller->actor;
}

}  // namespace pawl::service
