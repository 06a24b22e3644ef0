#include "workflow/read_gates.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "pawl/codec/json.hpp"
#include "workflow/json_schema.hpp"
#include "workflow/scripts.hpp"
#include "workflow/templates.hpp"

namespace pawl::workflow {
namespace {

/// Reads the operators of one expectation. `subject` is the value that they apply to.
void read_expectation(Faults& faults, const Value& value, const Expectation& subject, Spot spot,
                      StageDraft& draft) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, KeyPlace::expectation, value.what);
  if (value.node.map.empty()) {
    faults.add("E011", value.node.place, value.what + " has no operators",
               "use one of: " + listed(honoured_keys(KeyPlace::expectation)));
  }
  for (const std::string& key : honoured_keys(KeyPlace::expectation)) {
    const YamlMember* const found = reader.member(key);
    if (found == nullptr) continue;
    Expectation one = subject;
    one.operation = key;
    one.operation_place = found->key_place;
    one.value = &found->value;
    draft.expectations.push_back(std::move(one));
    read_templates_within(faults, found->value, spot, draft.uses);
  }
}

void read_expect(Faults& faults, const Value& value, StageDraft& draft, GateSpec& gate) {
  if (!expect_map(faults, value)) return;
  if (value.node.map.empty()) {
    faults.add("E011", value.node.place, value.what + " has no fields",
               "write expect: { FIELD: { at_least: 1 } }");
  }
  for (const YamlMember& field : value.node.map) {
    const Expectation subject{.field = PlacedText{field.key, field.key_place}};
    read_expectation(faults, {field.value, in_quotes(field.key) + " in " + value.what}, subject,
                     Spot::gate_value, draft);
  }
  gate.body = to_json(value.node);
}

std::optional<Json> schema_from_file(Faults& faults, const Value& value,
                                     const std::filesystem::path& project) {
  const auto path = read_text(faults, value);
  if (!path) return std::nullopt;
  std::ifstream file(project / *path, std::ios::binary);
  std::error_code ignored;
  const auto size = std::filesystem::file_size(project / *path, ignored);
  if (!file || ignored || size > file_bytes_max) {
    faults.add("E044", value.node.place, "cannot read the schema " + in_quotes(*path),
               "the path is relative to the project, and the file must exist");
    return std::nullopt;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Result<Json> schema = parse_json(text);
  if (schema) return *std::move(schema);
  faults.add("E044", value.node.place,
             "the schema " + in_quotes(*path) + " is not JSON: " + schema.error().message,
             schema.error().help);
  return std::nullopt;
}

void read_schema(Faults& faults, const Value& value, const std::filesystem::path& project,
                 GateSpec& gate) {
  std::optional<Json> schema;
  if (value.node.kind == YamlNode::Kind::map) {
    schema = to_json(value.node);
  } else if (value.node.kind == YamlNode::Kind::string) {
    schema = schema_from_file(faults, value, project);
  } else {
    faults.add("E011", value.node.place,
               value.what + " must be the path of a JSON Schema or the schema itself, not " +
                   in_words(value.node));
  }
  if (!schema) return;
  if (const auto compiled = JsonSchema::compile(*schema); !compiled) {
    faults.add("E044", value.node.place,
               value.what + " is not a JSON Schema: " + compiled.error().message,
               compiled.error().help);
  }
  gate.body = *std::move(schema);
}

/// Which of expect, run and schema the gate has; empty if not exactly one.
std::optional<std::string> kind_of(const MapReader& reader, const YamlNode& node) {
  std::vector<std::string> kinds;
  for (const char* const kind : {"expect", "run", "schema"}) {
    if (reader.has(kind)) kinds.emplace_back(kind);
  }
  if (reader.has_refused("agent")) return std::nullopt;
  if (kinds.size() == 1) return kinds.front();
  reader.faults().add(
      "E043", node.place,
      reader.where() + (kinds.empty() ? " has none of expect, run and schema"
                                      : " has more than one of expect, run and schema"),
      "give each gate exactly one of them");
  return std::nullopt;
}

void read_gate(Faults& faults, const YamlNode& node, const std::filesystem::path& project,
               std::set<std::string>& names, StageDraft& draft) {
  const std::string of_stage = " of stage " + in_quotes(draft.name);
  if (!expect_map(faults, {node, "each gate" + of_stage})) return;
  const YamlNode* const named = node.find("name");
  const bool has_name = named != nullptr && named->kind == YamlNode::Kind::string;
  const std::string where = (has_name ? "gate " + in_quotes(named->text) : "a gate") + of_stage;
  const MapReader reader(faults, node, KeyPlace::gate, where);

  GateSpec gate;
  GateRef settings;
  if (const auto name = reader.find("name")) {
    gate.name = read_text(faults, *name).value_or("");
    if (!gate.name.empty()) check_name(faults, name->node.place, "a gate", gate.name);
    const bool is_taken = !gate.name.empty() && !names.insert(gate.name).second;
    if (is_taken) {
      faults.add("E026", name->node.place,
                 "stage " + in_quotes(draft.name) + " has two gates called " + in_quotes(gate.name),
                 "give each gate a name of its own");
    }
  } else {
    faults.add("E056", node.place, "a gate" + of_stage + " has no name",
               "add name: …; attempts and reviews refer to the gate by it");
  }
  settings.name = gate.name;
  settings.advisory = reader.with("advisory", read_boolean).value_or(false);
  settings.timeout = reader.with("timeout", read_duration, Zero::refused).value_or(Duration{0});

  const std::optional<std::string> kind = kind_of(reader, node);
  if (const auto doubt = reader.find("on_uncertain")) {
    settings.on_uncertain = read_enum<OnUncertain>(faults, *doubt).value_or(OnUncertain::review);
    if (kind && kind != "run") {
      faults.add("E027", reader.member("on_uncertain")->key_place,
                 "\"on_uncertain\" has no meaning in " + where,
                 "a gate with " + *kind + " is never uncertain; leave it out");
    }
  }
  if (kind == "expect") {
    read_expect(faults, *reader.find("expect"), draft, gate);
  } else if (kind == "run") {
    gate.kind = GateSpec::Kind::run;
    gate.argv = read_command(faults, *reader.find("run"), Spot::gate_argument, draft.uses);
    warn_of_missing_script(faults, reader.find("run")->node, gate.argv, project / draft.action.dir);
  } else if (kind == "schema") {
    gate.kind = GateSpec::Kind::schema;
    read_schema(faults, *reader.find("schema"), project, gate);
  }
  draft.action.gates.push_back(std::move(gate));
  draft.definition.gates.push_back(std::move(settings));
}

}  // namespace

void read_gates(const MapReader& stage, const std::filesystem::path& project, StageDraft& draft) {
  const auto gates = stage.find("gates");
  if (!gates || !expect_list(stage.faults(), *gates)) return;
  if (gates->node.list.empty()) {
    stage.faults().add("E011", gates->node.place, gates->what + " is empty",
                       "add a gate, or leave the key out");
  }
  std::set<std::string> names;
  for (const YamlNode& gate : gates->node.list) {
    read_gate(stage.faults(), gate, project, names, draft);
  }
}

void read_condition(const MapReader& stage, StageDraft& draft) {
  const auto when = stage.find("when");
  if (!when) return;
  draft.definition.conditional = true;
  draft.action.when = to_json(when->node);
  if (when->node.kind != YamlNode::Kind::map) {
    if (when->node.kind == YamlNode::Kind::string) {
      read_single_reference(stage.faults(), *when, Spot::condition, draft.uses);
    } else {
      stage.faults().add(
          "E011", when->node.place,
          when->what + " must be one reference or a map of expectations, not " +
              in_words(when->node),
          "write when: \"${item.is_new}\", or when: { \"${item.pages}\": { at_least: 2 } }");
    }
    return;
  }
  if (when->node.map.empty()) {
    stage.faults().add("E011", when->node.place, when->what + " is empty",
                       "write when: { \"${item.pages}\": { at_least: 2 } }");
  }
  for (const YamlMember& one : when->node.map) {
    const auto reference = read_reference_key(stage.faults(), one, Spot::condition, draft.uses);
    if (!reference) continue;
    const Expectation subject{.reference = reference};
    read_expectation(stage.faults(), {one.value, in_quotes(one.key) + " in " + when->what}, subject,
                     Spot::condition, draft);
  }
}

}  // namespace pawl::workflow
