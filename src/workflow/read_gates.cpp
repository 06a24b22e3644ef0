#include "workflow/read_gates.hpp"

#include <algorithm>
#include <array>
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
               "the path is relative to the workflow file, and the file must exist");
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

constexpr std::array gate_kinds{"expect", "run", "schema", "all", "any"};

/// Which of the kinds of gates it is; empty if not exactly one.
std::optional<std::string> kind_of(const MapReader& reader, const YamlNode& node) {
  std::vector<std::string> kinds;
  for (const char* const kind : gate_kinds) {
    if (reader.has(kind)) kinds.emplace_back(kind);
  }
  if (reader.has_refused("agent")) return std::nullopt;
  if (kinds.size() == 1) return kinds.front();
  reader.faults().add(
      "E043", node.place,
      reader.where() + (kinds.empty() ? " has none of expect, run, schema, all and any"
                                      : " has more than one of expect, run, schema, all and any"),
      "give each gate exactly one of them");
  return std::nullopt;
}

/// Reads the names of gates that belong together: those of a stage, or the parts of a gate.
class GateNames {
 public:
  explicit GateNames(std::string owner) : owner_(std::move(owner)) {}

  /// The name of the gate; empty if it cannot be read.
  std::string read(Faults& faults, const Value& name) {
    std::string text = read_text(faults, name).value_or("");
    if (text.empty()) return text;
    check_name(faults, name.node.place, "a gate", text);
    if (!taken_.insert(text).second) {
      faults.add("E026", name.node.place, owner_ + " has two gates called " + in_quotes(text),
                 "give each gate a name of its own");
    }
    return text;
  }

 private:
  std::string owner_;  ///< in messages
  std::set<std::string> taken_;
};

void read_parts(const MapReader& reader, const std::string& kind,
                const std::filesystem::path& project, StageDraft& draft, GateSpec& gate);

/// Reads what the gate checks.
void read_check(const MapReader& reader, const std::optional<std::string>& kind,
                const std::filesystem::path& project, StageDraft& draft, GateSpec& gate) {
  Faults& faults = reader.faults();
  if (kind == "expect") {
    read_expect(faults, *reader.find("expect"), draft, gate);
  } else if (kind == "run") {
    gate.kind = GateSpec::Kind::run;
    gate.argv = read_command(faults, *reader.find("run"), Spot::gate_argument, draft.uses);
    warn_of_missing_script(faults, reader.find("run")->node, gate.argv, project / draft.action.dir);
  } else if (kind == "schema") {
    gate.kind = GateSpec::Kind::schema;
    read_schema(faults, *reader.find("schema"), project, gate);
  } else if (kind) {
    gate.kind = kind == "all" ? GateSpec::Kind::all : GateSpec::Kind::any;
    read_parts(reader, *kind, project, draft, gate);
  }
  if (kind && kind != "any" && reader.has("at_least")) {
    faults.add("E027", reader.member("at_least")->key_place,
               "\"at_least\" has no meaning in " + reader.where(),
               "only a gate with `any` counts; leave it out, or use any:");
  }
}

void read_part(Faults& faults, const Value& value, GateNames& names,
               const std::filesystem::path& project, StageDraft& draft, GateSpec& gate) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, KeyPlace::gate_part, value.what);
  if (const auto name = reader.find("name")) gate.name = names.read(faults, *name);
  read_check(reader, kind_of(reader, value.node), project, draft, gate);
}

/// Reads the gates of `all` or `any`.
void read_parts(const MapReader& reader, const std::string& kind,
                const std::filesystem::path& project, StageDraft& draft, GateSpec& gate) {
  Faults& faults = reader.faults();
  const Value list = *reader.find(kind);
  if (!expect_list(faults, list)) return;
  if (list.node.list.empty()) {
    faults.add("E011", list.node.place, list.what + " is empty", "add a gate");
    return;
  }
  GateNames names(reader.where());
  for (const YamlNode& node : list.node.list) {
    const std::string number = std::to_string(gate.parts.size() + 1);
    read_part(faults, {node, "part " + number + " of " + reader.where()}, names, project, draft,
              gate.parts.emplace_back());
  }
  const auto least = reader.find("at_least");
  if (!least || kind != "any") return;
  const auto most = static_cast<std::int64_t>(gate.parts.size());
  gate.at_least = static_cast<std::uint32_t>(read_integer(faults, *least, 1, most).value_or(1));
}

void read_gate(Faults& faults, const YamlNode& node, const std::filesystem::path& project,
               GateNames& names, StageDraft& draft) {
  const std::string of_stage = " of stage " + in_quotes(draft.name);
  if (!expect_map(faults, {node, "each gate" + of_stage})) return;
  const YamlNode* const named = node.find("name");
  const bool has_name = named != nullptr && named->kind == YamlNode::Kind::string;
  const std::string where = (has_name ? "gate " + in_quotes(named->text) : "a gate") + of_stage;
  const MapReader reader(faults, node, KeyPlace::gate, where);

  GateSpec gate;
  GateRef settings;
  if (const auto name = reader.find("name")) {
    gate.name = names.read(faults, *name);
  } else {
    faults.add("E056", node.place, "a gate" + of_stage + " has no name",
               "add name: …; attempts and reviews refer to the gate by it");
  }
  settings.name = gate.name;
  settings.advisory = reader.with("advisory", read_boolean).value_or(false);
  settings.timeout = reader.with("timeout", read_duration, Zero::refused).value_or(Duration{0});

  const std::optional<std::string> kind = kind_of(reader, node);
  read_check(reader, kind, project, draft, gate);
  if (const auto doubt = reader.find("on_uncertain")) {
    settings.on_uncertain = read_enum<OnUncertain>(faults, *doubt).value_or(OnUncertain::review);
    if (kind && !gate.runs_command()) {
      faults.add("E027", reader.member("on_uncertain")->key_place,
                 "\"on_uncertain\" has no meaning in " + where,
                 "only a gate that runs a command can be uncertain; leave it out");
    }
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
  GateNames names("stage " + in_quotes(draft.name));
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
