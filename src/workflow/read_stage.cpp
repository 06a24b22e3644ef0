#include "workflow/read_stage.hpp"

#include <algorithm>

#include "workflow/read_action.hpp"
#include "workflow/read_gates.hpp"

namespace pawl::workflow {
namespace {

/// With refine, an output that does not fit `out` is rejected and refined instead of being a final
/// error. Not for a fan-out: its gates judge lists over the children, which have other types.
void add_types_gate(Faults& faults, const MapReader& stage, StageDraft& draft) {
  const bool refines = draft.definition.retry.refine_attempts > 1U;
  if (!refines || draft.action.out.empty() || stage.has("each")) return;
  const std::string name = "types";
  if (std::ranges::find(draft.definition.gates, name, &GateRef::name) !=
      draft.definition.gates.end()) {
    faults.add("E026", stage.member("gates")->key_place,
               "stage " + in_quotes(draft.name) +
                   " has a gate called \"types\", a name that is reserved for `refine`",
               "give the gate another name");
  }
  draft.action.gates.insert(draft.action.gates.begin(),
                            GateSpec{.name = name, .kind = GateSpec::Kind::types});
  draft.definition.gates.insert(draft.definition.gates.begin(), GateRef{.name = name});
}

}  // namespace

StageDraft read_stage(Faults& faults, const YamlMember& stage, const Defaults& defaults,
                      const std::filesystem::path& project) {
  StageDraft draft;
  draft.name = stage.key;
  draft.place = stage.key_place;
  draft.definition.name = stage.key;
  const std::string where = "stage " + in_quotes(stage.key);
  check_name(faults, stage.key_place, "a stage", stage.key);
  if (!expect_map(faults, {stage.value, where})) {
    draft.is_action_known = false;
    draft.is_out_known = false;
    draft.are_needs_known = false;
    return draft;
  }
  const MapReader reader(faults, stage.value, KeyPlace::stage, where);
  draft.action.description = reader.with("description", read_text).value_or("");
  if (const auto needs = reader.find("needs")) {
    draft.needs = read_texts(faults, *needs);
    draft.are_needs_known =
        draft.needs.size() == needs->node.list.size() && needs->node.kind == YamlNode::Kind::list;
  }
  if (const auto scope = reader.find("scope")) {
    draft.definition.scope = read_enum<Scope>(faults, *scope).value_or(Scope::item);
  }
  read_action(reader, project, draft);
  read_condition(reader, draft);
  read_attempt_policies(reader, defaults, draft);
  read_gates(reader, project, draft);
  read_review_policies(reader, draft);
  add_types_gate(faults, reader, draft);
  return draft;
}

}  // namespace pawl::workflow
