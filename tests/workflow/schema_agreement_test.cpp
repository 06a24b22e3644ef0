// The schema for editors and the checker accept the same files.

#include <set>

#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/workflow/file.hpp"
#include "workflow/case_files.hpp"
#include "workflow/json_schema.hpp"
#include "workflow/keys.hpp"
#include "workflow/yaml.hpp"

namespace pawl::workflow {
namespace {

Json schema() {
  const Result<Json> parsed = parse_json(workflow_schema());
  EXPECT_TRUE(parsed) << parsed.error().text();
  return parsed.value_or(Json());
}

std::vector<SchemaFinding> findings_in(const Json& value) {
  static const JsonSchema compiled = JsonSchema::compile(schema()).value();
  return compiled.check(value);
}

std::string in_words(const std::vector<SchemaFinding>& findings) {
  std::string text;
  for (const SchemaFinding& one : findings) text += one.path + ": " + one.message + "\n";
  return text;
}

struct SchemaPlace {
  KeyPlace keys;
  const char* path;
};

/// Where the schema describes the keys of each place.
constexpr SchemaPlace places[] = {
    {KeyPlace::file, ""},
    {KeyPlace::defaults, "properties.defaults"},
    {KeyPlace::job, "properties.job"},
    {KeyPlace::budget, "properties.job.properties.budget"},
    {KeyPlace::items, "properties.items.anyOf[1]"},
    {KeyPlace::param, "properties.params.additionalProperties"},
    {KeyPlace::stage, "definitions.stage"},
    {KeyPlace::retry, "definitions.retry_settings"},
    {KeyPlace::backoff, "definitions.retry_settings.properties.backoff"},
    {KeyPlace::exit_codes, "definitions.stage.properties.exit_codes"},
    {KeyPlace::each, "definitions.stage.properties.each.anyOf[1]"},
    {KeyPlace::gate, "definitions.gate"},
    {KeyPlace::gate_part, "definitions.gate_part"},
    {KeyPlace::expectation, "definitions.expectation"},
    {KeyPlace::refine, "definitions.stage.properties.refine"},
    {KeyPlace::review, "definitions.stage.properties.review"},
    {KeyPlace::show, "definitions.stage.properties.review.properties.show"},
    {KeyPlace::limits, "definitions.stage.properties.limits"},
};

TEST(Schema, knows_exactly_the_keys_that_are_honoured) {
  std::set<KeyPlace> seen;
  for (const SchemaPlace& place : places) {
    seen.insert(place.keys);
    const Result<Json> described = field(schema(), place.path).json();
    ASSERT_TRUE(described) << place.path;
    std::set<std::string> in_schema;
    for (const auto& [key, value] : members(field(*described, "properties"))) {
      in_schema.insert(key);
    }
    const std::vector<std::string> known = honoured_keys(place.keys);
    EXPECT_EQ(in_schema, std::set<std::string>(known.begin(), known.end())) << place.path;
    EXPECT_EQ(field(*described, "additionalProperties").json(), Json(false)) << place.path;
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(KeyPlace::limits) + 1);
}

/// The description of a key, or of the definition that it refers to.
std::string description_of(const Json& key) {
  if (const auto own = field(key, "description"); own.exists()) return own.string().value_or("");
  const std::string target = field(key, "$ref").string().value_or("");
  if (!target.starts_with("#/definitions/")) return {};
  const auto definition = field(schema(), "definitions." + target.substr(14)).json();
  return definition ? description_of(*definition) : std::string{};
}

TEST(Schema, describes_every_key) {
  for (const SchemaPlace& place : places) {
    const Json described = field(schema(), place.path).json().value();
    for (const auto& [key, value] : members(field(described, "properties"))) {
      EXPECT_GE(description_of(value).size(), 10U) << place.path << " " << key;
    }
  }
}

TEST(Schema, accepts_good_files) {
  const std::filesystem::path good = testing::source_directory() / "tests/workflow/good";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(good)) {
    const std::string text = testing::read_whole(entry.path());
    const auto file = load_workflow_file(text, {.project = good});
    EXPECT_TRUE(file) << render(file.error(), text);
    const std::vector<SchemaFinding> findings = findings_in(to_json(parse_yaml(text, "x").value()));
    EXPECT_TRUE(findings.empty()) << entry.path() << "\n" << in_words(findings);
    ++count;
  }
  EXPECT_GE(count, 3U);
}

TEST(Schema, refuses_what_is_wrong_by_its_structure) {
  const std::set<std::string> structural{"E010", "E011", "E016", "E017", "E018", "E019",
                                         "E020", "E022", "E023", "E024", "E025", "E043",
                                         "E045", "E053", "E056", "E057"};
  std::set<std::string> seen;
  for (const testing::CaseFile& file : testing::case_files()) {
    if (!structural.contains(file.code)) continue;
    seen.insert(file.code);
    const auto root = parse_yaml(file.text, file.name);
    ASSERT_TRUE(root) << file.name;
    EXPECT_FALSE(findings_in(to_json(*root)).empty()) << file.name;
  }
  EXPECT_EQ(seen, structural);
}

// Everything that the schema refuses, the checker refuses: an editor never underlines a valid file.
TEST(Schema, refuses_nothing_that_the_checker_accepts) {
  for (const testing::CaseFile& file : testing::case_files()) {
    if (!load_workflow_file(file.text, {.project = testing::cases_directory()})) continue;
    const std::vector<SchemaFinding> findings =
        findings_in(to_json(parse_yaml(file.text, file.name).value()));
    EXPECT_TRUE(findings.empty()) << file.name << "\n" << in_words(findings);
  }
}

}  // namespace
}  // namespace pawl::workflow
