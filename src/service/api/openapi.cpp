/// The OpenAPI document: the table of routes, and the schemas of the documents.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/version.hpp"
#include "service/api/route.hpp"
#include "service/api/schemas.hpp"

namespace pawl::service {
namespace {

using Members = std::vector<std::pair<std::string, Json>>;

Json reference(std::string_view section, std::string_view name) {
  return Json::object({{"$ref", "#/components/" + std::string(section) + "/" + std::string(name)}});
}

Json words(const std::vector<std::string_view>& names) {
  std::vector<Json> values;
  for (const std::string_view name : names) values.emplace_back(name);
  return Json::array(values);
}

Json schema_of(const Field& field) {
  Members schema;
  const auto type = [&](std::string_view name) { schema.emplace_back("type", name); };
  switch (field.kind) {
    case FieldKind::text:
      type("string");
      if (!field.words.empty()) schema.emplace_back("enum", words(field.words));
      break;
    case FieldKind::integer:
      type("integer");
      if (field.min != INT64_MIN) schema.emplace_back("minimum", field.min);
      if (field.max != INT64_MAX) schema.emplace_back("maximum", field.max);
      break;
    case FieldKind::number:
      type("number");
      break;
    case FieldKind::flag:
      type("boolean");
      break;
    case FieldKind::texts:
      type("array");
      schema.emplace_back("items", Json::object({{"type", "string"}}));
      break;
    case FieldKind::object:
      type("object");
      schema.emplace_back("additionalProperties", true);
      break;
    case FieldKind::any:
      break;
  }
  return Json::object(schema);
}

Json described(const Field& field) {
  Members schema;
  for (auto& member : members(schema_of(field))) schema.push_back(std::move(member));
  schema.emplace_back("description", field.about);
  return Json::object(schema);
}

/// The names of the parts in braces.
std::vector<std::string_view> parts_in(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t open = path.find('{'); open != std::string_view::npos;
       open = path.find('{', open + 1)) {
    parts.push_back(path.substr(open + 1, path.find('}', open) - open - 1));
  }
  return parts;
}

/// A part in braces; those that are texts are named here, the others are numbers of records.
Json path_parameter(std::string_view part) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> texts{{
      {"stage", "The name of the stage."},
      {"name", "The name of the person."},
      {"workflow", "The name of the workflow."},
      {"operation", "The id of the operation, which its client chose."},
      {"sha256", "The digest of the file."},
  }};
  const auto* const text =
      std::ranges::find(texts, part, &std::pair<std::string_view, std::string_view>::first);
  const bool is_text = text != texts.end();
  const Json schema = is_text ? Json::object({{"type", "string"}})
                              : Json::object({{"type", "integer"}, {"minimum", 1}});
  const std::string about =
      is_text ? std::string(text->second) : "The number of the " + std::string(part) + ".";
  return Json::object({{"name", part},
                       {"in", "path"},
                       {"description", about},
                       {"required", true},
                       {"schema", schema}});
}

Json parameters_of(const Route& route) {
  std::vector<Json> parameters;
  for (const std::string_view part : parts_in(route.path)) {
    parameters.push_back(path_parameter(part));
  }
  for (const Field& field : query_of(route)) {
    Members parameter{{"name", field.name}, {"in", "query"}, {"description", field.about}};
    if (field.is_required) parameter.emplace_back("required", true);
    parameter.emplace_back("schema", schema_of(field));
    if (field.kind == FieldKind::texts) parameter.emplace_back("explode", false);
    parameters.push_back(Json::object(parameter));
  }
  return Json::array(parameters);
}

Json content(std::string_view type, const Json& schema) {
  const Members one{{std::string(type), Json::object({{"schema", schema}})}};
  return Json::object(one);
}

Json body_of(const Route& route) {
  if (route.takes_bytes) {
    const Json bytes = Json::object({{"type", "string"}, {"format", "binary"}});
    return Json::object(
        {{"required", true}, {"content", content("application/octet-stream", bytes)}});
  }
  Members properties;
  std::vector<Json> required;
  for (const Field& field : route.body) {
    properties.emplace_back(field.name, described(field));
    if (field.is_required) required.emplace_back(field.name);
  }
  Members schema{{"type", "object"},
                 {"additionalProperties", false},
                 {"properties", Json::object(properties)}};
  if (!required.empty()) schema.emplace_back("required", Json::array(required));
  return Json::object({{"required", !required.empty()},
                       {"content", content("application/json", Json::object(schema))}});
}

/// A page of a list: the rows, the cursor and the count.
Json page_schema(const Route& route) {
  const Json rows =
      Json::object({{"type", "array"}, {"items", reference("schemas", route.schema)}});
  const Members properties{
      {std::string(route.rows), rows},
      {"next", Json::object({{"type", Json::array({"string", "null"})}})},
      {"total", Json::object({{"anyOf", Json::array({reference("schemas", "Tally"),
                                                     Json::object({{"type", "null"}})})}})}};
  const Json page = Json::object({{"type", "object"},
                                  {"required", Json::array({Json(route.rows), "next"})},
                                  {"properties", Json::object(properties)}});
  if (route.beside.empty()) return page;
  return Json::object({{"allOf", Json::array({page, reference("schemas", route.beside)})}});
}

Json any_object() { return Json::object({{"type", "object"}, {"additionalProperties", true}}); }

Json success_of(const Route& route) {
  Members response{{"description", route.summary}};
  const Json text = Json::object({{"type", "string"}});
  switch (route.kind) {
    case ReplyKind::document:
      response.emplace_back("content",
                            content("application/json", reference("schemas", route.schema)));
      break;
    case ReplyKind::list: {
      const Json page = Json::object({{"schema", page_schema(route)}});
      const Json lines = Json::object({{"schema", text}});
      const Members forms{
          {"application/json", page}, {"application/jsonl", lines}, {"text/csv", lines}};
      response.emplace_back("content", Json::object(forms));
      break;
    }
    case ReplyKind::other:
      response.emplace_back(
          "content", content(route.content_type,
                             route.content_type == "application/json" ? any_object() : text));
      break;
    case ReplyKind::none:
      break;
  }
  return Json::object(response);
}

Json responses_of(const Route& route) {
  const unsigned status = route.kind == ReplyKind::none ? 204 : route.status;
  Members responses{{std::to_string(status), success_of(route)}};
  for (const unsigned other : route.also) {
    responses.emplace_back(std::to_string(other), success_of(route));
  }
  responses.emplace_back("4XX", reference("responses", "Refused"));
  responses.emplace_back("5XX", reference("responses", "Failed"));
  return Json::object(responses);
}

std::string description_of(const Route& route) {
  if (route.access.is_open()) return "Open to everybody.";
  const Right* const right = route.access.right();
  if (right == nullptr) return "Needs a sign-in.";
  return "Needs the right `" + std::string(name_of(*right)) + "`.";
}

Json operation_of(const Route& route) {
  Members operation{{"operationId", route.operation},
                    {"tags", Json::array({Json(route.tag)})},
                    {"summary", route.summary},
                    {"description", description_of(route)}};
  operation.emplace_back("parameters", parameters_of(route));
  const bool has_body = route.takes_bytes || !route.body.empty();
  if (has_body) operation.emplace_back("requestBody", body_of(route));
  operation.emplace_back("responses", responses_of(route));
  if (route.access.is_open()) operation.emplace_back("security", Json::array({}));
  return Json::object(operation);
}

std::string lowered(std::string_view method) {
  std::string lower(method);
  for (char& c : lower) c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

Json paths_of(const std::vector<Route>& table) {
  std::vector<std::pair<std::string, Members>> paths;
  for (const Route& route : table) {
    auto path = std::ranges::find(paths, route.path,
                                  [](const auto& it) { return std::string_view(it.first); });
    if (path == paths.end()) path = paths.insert(paths.end(), {std::string(route.path), {}});
    path->second.emplace_back(lowered(route.method), operation_of(route));
  }
  Members documents;
  for (const auto& [path, operations] : paths)
    documents.emplace_back(path, Json::object(operations));
  return Json::object(documents);
}

Json error_of(std::string_view about) {
  return Json::object({{"description", about},
                       {"content", content("application/json", reference("schemas", "Error"))}});
}

Json components() {
  const Members responses{{"Refused", error_of("The request was refused; the error says why.")},
                          {"Failed", error_of("The service or its store cannot answer now.")}};
  const Json bearer = Json::object({{"type", "http"}, {"scheme", "bearer"}});
  const Json cookie =
      Json::object({{"type", "apiKey"}, {"in", "cookie"}, {"name", "pawl_session"}});
  return Json::object(
      {{"schemas", schemas()},
       {"responses", Json::object(responses)},
       {"securitySchemes", Json::object({{"token", bearer}, {"session", cookie}})}});
}

std::string_view about_tag(std::string_view tag) {
  static const std::map<std::string_view, std::string_view> texts{
      {"pages", "For browsers."},
      {"service", "The service itself: its health, its metrics, and this description."},
      {"session", "Signing in and out with a browser, and who is signed in."},
      {"jobs", "Submitted workflows."},
      {"items", "The items of jobs with their stages, attempts and decisions."},
      {"reviews", "What people are asked to decide."},
      {"dead-letters", "Tasks that failed for good."},
      {"operations", "Acts on many things at once, which run in the background."},
      {"events", "What happened, as a list and live."},
      {"workers", "Who runs attempts, and the pools that limit them."},
      {"results", "Outputs and files."},
      {"workflows", "The workflow files that may be submitted."},
      {"people", "People with their roles and groups."},
      {"tokens", "Credentials of programs and people."},
      {"audit", "Who did what, and when."},
  };
  const auto found = texts.find(tag);
  return found == texts.end() ? tag : found->second;
}

Json tags_of(const std::vector<Route>& table) {
  std::vector<std::string_view> names;
  std::vector<Json> tags;
  for (const Route& route : table) {
    if (std::ranges::find(names, route.tag) != names.end()) continue;
    names.push_back(route.tag);
    tags.push_back(Json::object({{"name", route.tag}, {"description", about_tag(route.tag)}}));
  }
  return Json::array(tags);
}

}  // namespace

std::string openapi_of(const std::vector<Route>& table) {
  const Json security = Json::array(
      {Json::object({{"token", Json::array({})}}), Json::object({{"session", Json::array({})}})});
  const Json info = Json::object(
      {{"title", "pawl"},
       {"version", version},
       {"summary", "A durable workflow engine: jobs, items, reviews, dead letters."},
       {"license", Json::object({{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}})}});
  return pretty(Json::object({{"openapi", "3.1.0"},
                              {"info", info},
                              {"servers", Json::array({Json::object({{"url", "/"}})})},
                              {"security", security},
                              {"tags", tags_of(table)},
                              {"paths", paths_of(table)},
                              {"components", components()}})) +
         "\n";
}

}  // namespace pawl::service
