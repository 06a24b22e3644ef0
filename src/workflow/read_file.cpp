#include "workflow/read_file.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "codec/field_types.hpp"
#include "pawl/codec/json.hpp"
#include "workflow/map_reader.hpp"
#include "workflow/read_items.hpp"
#include "workflow/read_stage.hpp"
#include "workflow/templates.hpp"

namespace pawl::workflow {

using codec::field_type;
using codec::field_type_words;
using codec::fits;

namespace {

/// Far beyond any real budget, and still fits in 64 bits as micro-dollars.
constexpr double cost_max = 1e12;

void read_version(const MapReader& reader, const YamlNode& root) {
  const auto version = reader.find("version");
  if (!version) {
    reader.faults().add("E056", root.place, "the file has no version",
                        "start the file with version: 1");
    return;
  }
  const bool is_one = version->node.kind == YamlNode::Kind::integer && version->node.text == "1";
  if (is_one) return;
  const std::string found = version->node.is_scalar() && version->node.kind != YamlNode::Kind::null
                                ? in_quotes(version->node.text)
                                : in_words(version->node);
  reader.faults().add("E057", version->node.place, found + " is not a supported version",
                      "this version of pawl reads version 1; write version: 1, without quotes");
}

void read_param(Faults& faults, const YamlMember& member, FileDraft& file) {
  ParamSpec param{.name = member.key};
  const std::string where = "param " + in_quotes(member.key);
  check_name(faults, member.key_place, "a param", member.key);
  file.broken_params.push_back(member.key);
  std::vector<std::string> types = field_type_words();
  std::erase(types, "file");
  const bool is_type = std::ranges::find(types, member.value.text) != types.end();
  const std::string meant = is_type ? member.value.text : "string";
  const std::string help =
      "write " + member.key + ": { type: " + meant + " }; the types are " + listed(types);
  if (!expect_map(faults, {member.value, where}, help)) return;
  const MapReader reader(faults, member.value, KeyPlace::param, where);
  param.description = reader.with("description", read_text).value_or("");
  const auto written = reader.find("type");
  if (!written) {
    faults.add("E056", member.key_place, where + " has no type",
               "add type: one of " + listed(types));
    return;
  }
  const auto type = read_word(faults, *written, types);
  if (!type) return;
  param.type = *field_type(*type);
  if (const auto fallback = reader.find("default")) {
    refuse_references(faults, *fallback);
    param.fallback = to_json(fallback->node);
    if (!fits(*param.fallback, param.type)) {
      faults.add("E052", fallback->node.place,
                 fallback->what + " is " + in_words(fallback->node) + ", but its type is " + *type,
                 "give a default of that type, or remove it to make the param required");
    }
  }
  file.broken_params.pop_back();
  file.params.push_back(std::move(param));
}

void read_budget(Faults& faults, const Value& value, Budget& budget) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, KeyPlace::budget, value.what);
  if (const auto cost = reader.with("cost_usd", read_number, 0.0, cost_max)) {
    budget.cost_microusd = std::llround(*cost * 1e6);
  }
  if (const auto tokens = reader.find("tokens")) budget.tokens = read_integer(faults, *tokens, 0);
  if (const auto attempts = reader.find("attempts")) {
    budget.max_total_attempts = read_integer(faults, *attempts, 1);
  }
  budget.deadline = reader.with("deadline", read_duration, Zero::refused);
  budget.no_progress = reader.with("no_progress", read_duration, Zero::refused);
  if (const auto exhausted = reader.find("exhausted")) {
    budget.exhausted = read_enum<OnBudgetEnd>(faults, *exhausted).value_or(OnBudgetEnd::pause);
  }
}

void read_job(Faults& faults, const Value& value, FileDraft& file) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, KeyPlace::job, value.what);
  file.parallel = reader.with("parallel", read_count).value_or(0);
  file.tolerate_failures = reader.with("tolerate_failures", read_tolerance).value_or(Tolerance{});
  if (const auto budget = reader.find("budget")) read_budget(faults, *budget, file.budget);
}

void read_stages(const MapReader& reader, const YamlNode& root,
                 const std::filesystem::path& project, FileDraft& file) {
  Faults& faults = reader.faults();
  Defaults defaults;
  if (const auto value = reader.find("defaults")) defaults = read_defaults(faults, *value);
  const auto stages = reader.find("stages");
  if (!stages) {
    faults.add("E056", root.place, "the workflow has no stages",
               "add stages: with at least one stage");
    return;
  }
  file.stages_place = reader.member("stages")->key_place;
  if (stages->node.kind == YamlNode::Kind::list) {
    faults.add("E011", stages->node.place, stages->what + " must be a map, not a list",
               "write each stage under its name: stages: { convert: { run: [command] } }");
    return;
  }
  const bool is_empty = stages->node.kind == YamlNode::Kind::null ||
                        (stages->node.kind == YamlNode::Kind::map && stages->node.map.empty());
  if (is_empty) {
    faults.add("E056", file.stages_place, "the workflow has no stages",
               "write at least one stage under its name");
    return;
  }
  if (!expect_map(faults, *stages)) return;
  for (const YamlMember& stage : stages->node.map) {
    file.places.emplace(stage.key, file.stages.size());
    file.stages.push_back(read_stage(faults, stage, defaults, project));
  }
}

}  // namespace

FileDraft read_file(Faults& faults, const YamlNode& root, const std::filesystem::path& project) {
  FileDraft file;
  if (!expect_map(faults, {root, "a workflow file"})) return file;
  const MapReader reader(faults, root, KeyPlace::file, "the workflow");
  read_version(reader, root);
  if (const auto name = reader.find("workflow")) {
    file.name = read_text(faults, *name).value_or("");
    if (!file.name.empty()) check_name(faults, name->node.place, "a workflow", file.name);
  } else {
    faults.add("E056", root.place, "the workflow has no name", "add workflow: NAME");
  }
  file.description = reader.with("description", read_text).value_or("");
  if (const auto params = reader.find("params")) {
    file.are_params_known = expect_map(faults, *params);
    for (const YamlMember& param : params->node.map) read_param(faults, param, file);
  }
  if (const auto items = reader.find("items")) read_items_source(faults, *items, file);
  if (const auto job = reader.find("job")) read_job(faults, *job, file);
  read_stages(reader, root, project, file);
  return file;
}

}  // namespace pawl::workflow
