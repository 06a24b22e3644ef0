/// The description of the API: nothing is missing, and all of it is used.

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "service/api/route.hpp"
#include "service/api/schemas.hpp"
#include "workflow/json_schema.hpp"

namespace pawl::service {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

Json document() {
  static const Json parsed = parse_json(openapi_of(routes())).value_or(Json());
  return parsed;
}

std::string name_of(const Route& route) {
  return std::string(route.method) + " " + std::string(route.path);
}

/// The operation of a route in the document.
Json operation_of(const Route& route) {
  std::string method(route.method);
  for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
  const Json all = document();
  const Json paths = JsonView(all)["paths"].json().value_or(Json());
  const Json path = JsonView(paths)[route.path].json().value_or(Json());
  return JsonView(path)[method].json().value_or(Json());
}

/// Every "$ref" in a value.
void add_references(const JsonView& value, std::set<std::string>& found) {
  for (const auto& [name, member] : members(value)) {
    if (name == "$ref") found.insert(JsonView(member).string().value_or(""));
    add_references(member, found);
  }
  for (const Json& element : elements(value)) add_references(element, found);
}

/// Every object with "type" in a schema.
void check_schema(const JsonView& schema, const std::string& place) {
  const bool says_what_it_is = schema["type"].exists() || schema["$ref"].exists() ||
                               schema["oneOf"].exists() || schema["anyOf"].exists() ||
                               schema["allOf"].exists() || schema["description"].exists() ||
                               schema["const"].exists() || schema["enum"].exists();
  EXPECT_TRUE(says_what_it_is) << place;
  std::set<std::string> properties;
  for (const auto& [name, property] : members(schema["properties"])) {
    properties.insert(name);
    check_schema(property, place + "." + name);
  }
  for (const Json& required : elements(schema["required"])) {
    EXPECT_THAT(properties, Contains(JsonView(required).string().value_or("")))
        << place << " requires a member that it does not describe";
  }
  if (schema["items"].exists()) check_schema(schema["items"], place + "[]");
}

TEST(OpenApi, every_route_has_an_operation_of_its_own) {
  std::map<std::string, std::string> seen;
  for (const Route& route : routes()) {
    EXPECT_FALSE(route.operation.empty()) << name_of(route);
    const auto [known, is_new] = seen.emplace(route.operation, name_of(route));
    EXPECT_TRUE(is_new) << known->second << " and " << name_of(route);
    EXPECT_TRUE(is_object(operation_of(route))) << name_of(route);
  }
}

TEST(OpenApi, no_two_routes_have_the_same_method_and_path) {
  std::set<std::string> seen;
  for (const Route& route : routes()) {
    EXPECT_TRUE(seen.insert(name_of(route)).second) << name_of(route);
  }
}

TEST(OpenApi, every_route_and_every_field_is_described_in_a_sentence) {
  const auto is_sentence = [](std::string_view text) {
    return text.size() > 5 && text.ends_with('.') && text.front() >= 'A' && text.front() <= 'Z';
  };
  for (const Route& route : routes()) {
    EXPECT_TRUE(is_sentence(route.summary)) << name_of(route) << ": " << route.summary;
    EXPECT_FALSE(route.tag.empty()) << name_of(route);
    for (const std::vector<Field>& fields : {route.query, route.body}) {
      for (const Field& field : fields) {
        EXPECT_TRUE(is_sentence(field.about))
            << name_of(route) << " " << field.name << ": " << field.about;
      }
    }
  }
}

TEST(OpenApi, every_part_of_a_path_is_described) {
  for (const Route& route : routes()) {
    std::set<std::string> described;
    const Json operation = operation_of(route);
    for (const Json& parameter : elements(field(operation, "parameters"))) {
      if (field(parameter, "in").string() != "path") continue;
      described.insert(field(parameter, "name").string().value_or(""));
      EXPECT_TRUE(field(parameter, "description").string()) << name_of(route);
      EXPECT_EQ(field(parameter, "required").text(), "true");
    }
    for (std::size_t open = route.path.find('{'); open != std::string_view::npos;
         open = route.path.find('{', open + 1)) {
      const std::size_t close = route.path.find('}', open);
      EXPECT_THAT(described, Contains(route.path.substr(open + 1, close - open - 1)));
    }
  }
}

TEST(OpenApi, documents_and_rows_have_a_schema_that_exists) {
  const Json all = schemas();
  for (const Route& route : routes()) {
    const bool needs_one = route.kind == ReplyKind::document || route.kind == ReplyKind::list;
    EXPECT_EQ(route.schema.empty(), !needs_one) << name_of(route);
    if (!needs_one) continue;
    EXPECT_TRUE(JsonView(all)[route.schema].exists()) << name_of(route) << ": " << route.schema;
  }
}

TEST(OpenApi, a_list_has_rows_and_columns_that_its_schema_knows) {
  const Json all = schemas();
  for (const Route& route : routes()) {
    if (route.kind != ReplyKind::list) continue;
    EXPECT_FALSE(route.rows.empty()) << name_of(route);
    EXPECT_FALSE(route.columns.empty()) << name_of(route);
    for (const std::string_view column : route.columns) {
      JsonView schema = JsonView(all)[route.schema];
      std::string target(schema["$ref"].string().value_or(""));
      const std::string_view first = column.substr(0, column.find('.'));
      EXPECT_TRUE(schema["properties"][first].exists()) << name_of(route) << ": " << column;
    }
  }
}

TEST(OpenApi, what_is_sent_as_bytes_has_a_type) {
  for (const Route& route : routes()) {
    EXPECT_EQ(route.kind == ReplyKind::other, !route.content_type.empty()) << name_of(route);
  }
}

TEST(OpenApi, every_schema_is_used_and_every_reference_leads_somewhere) {
  const Json all = document();
  std::set<std::string> references;
  add_references(all, references);
  std::set<std::string> names;
  for (const auto& [name, schema] : members(schemas())) {
    EXPECT_TRUE(names.insert("#/components/schemas/" + name).second) << name << " twice";
  }
  for (const std::string& name : names) EXPECT_THAT(references, Contains(name)) << "not used";
  for (const std::string& reference : references) {
    if (reference.starts_with("#/components/schemas/")) {
      EXPECT_THAT(names, Contains(reference));
    }
  }
}

TEST(OpenApi, every_schema_compiles_and_describes_what_it_requires) {
  const Json components = Json::object({{"schemas", schemas()}});
  for (const auto& [name, schema] : members(schemas())) {
    EXPECT_TRUE(name.front() >= 'A' && name.front() <= 'Z') << name;
    EXPECT_TRUE(field(schema, "description").string()) << name;
    const Json whole =
        Json::object({{"$ref", "#/components/schemas/" + name}, {"components", components}});
    const auto compiled = workflow::JsonSchema::compile(whole);
    EXPECT_TRUE(compiled) << name << ": " << compiled.error().text();
    check_schema(schema, name);
  }
}

TEST(OpenApi, open_routes_ask_for_no_sign_in_and_others_do) {
  for (const Route& route : routes()) {
    const Json operation = operation_of(route);
    EXPECT_EQ(field(operation, "security").text(), route.access.is_open() ? "[]" : "")
        << name_of(route);
  }
  const Json all = document();
  EXPECT_TRUE(field(all, "security[0].token").exists());
}

TEST(OpenApi, the_words_of_a_field_are_in_the_document) {
  for (const Route& route : routes()) {
    const Json operation = operation_of(route);
    for (const Field& parameter : query_of(route)) {
      bool is_there = false;
      for (const Json& one : elements(field(operation, "parameters"))) {
        if (field(one, "name").string() != std::string(parameter.name)) continue;
        is_there = true;
        EXPECT_EQ(elements(field(one, "schema.enum")).size(), parameter.words.size());
      }
      EXPECT_TRUE(is_there) << name_of(route) << " " << parameter.name;
    }
  }
}

}  // namespace
}  // namespace pawl::service
