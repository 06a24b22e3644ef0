#include "workflow/read_review.hpp"

#include <algorithm>
#include <utility>

#include "core/review_faults.hpp"
#include "workflow/map_reader.hpp"
#include "workflow/templates.hpp"

namespace pawl::workflow {
namespace {

/// A list of texts, or a single one.
std::vector<PlacedText> read_text_or_texts(Faults& faults, const Value& value) {
  if (value.node.kind != YamlNode::Kind::string) return read_texts(faults, value);
  const auto text = read_text(faults, value);
  return text ? std::vector{PlacedText{*text, value.node.place}} : std::vector<PlacedText>{};
}

std::vector<std::string> texts_of(const std::vector<PlacedText>& placed) {
  std::vector<std::string> texts;
  for (const PlacedText& one : placed) texts.push_back(one.text);
  return texts;
}

/// What a reviewer sees first. It is kept in the action, as written.
void read_show(Faults& faults, const Value& value, StageDraft& draft) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, KeyPlace::show, value.what);
  if (const auto main = reader.find("main")) {
    if (auto text = read_text(faults, *main)) {
      draft.shown.push_back({std::move(*text), main->node.place});
    }
  }
  for (PlacedText& field : reader.with("beside", read_text_or_texts)) {
    draft.shown.push_back(std::move(field));
  }
  draft.action.show = to_json(value.node);
}

/// What a rejection means. A rejection of one child, or of a result for all items, cannot end an
/// item.
OnRejected read_rejected(Faults& faults, const Value& value, const StageDraft& draft) {
  const OnRejected meaning = read_enum<OnRejected>(faults, value).value_or(OnRejected::fail);
  const bool fans_out = draft.definition.joins;
  if (meaning == OnRejected::fail || (draft.definition.scope == Scope::item && !fans_out)) {
    return meaning;
  }
  faults.add("E027", value.node.place,
             "\"rejected: end_item\" has no meaning in stage " + in_quotes(draft.name) +
                 (fans_out ? ", which has `each`: a rejection may be about one child only"
                           : ", which runs once for all items: a rejection cannot end an item"),
             fans_out ? "leave it out, or review the item in a stage of its own that needs this one"
                      : "leave it out");
  return OnRejected::fail;
}

std::optional<ReviewPolicy> read_when(Faults& faults, const MapReader& reader, const Value& review,
                                      StageDraft& draft) {
  const auto when = reader.find("when");
  if (!when) {
    faults.add("E056", review.node.place, review.what + " has no `when`",
               "add when: one of " + listed(all_names<ReviewPolicy>()));
    return std::nullopt;
  }
  const auto policy = read_enum<ReviewPolicy>(faults, *when);
  if (policy) draft.definition.review = *policy;
  if (policy == ReviewPolicy::on_uncertain) {
    const auto& gates = draft.definition.gates;
    const bool may_doubt = std::ranges::any_of(draft.action.gates, [&](const GateSpec& gate) {
      const auto settings = std::ranges::find(gates, gate.name, &GateRef::name);
      return gate.runs_command() && settings != gates.end() && !settings->advisory &&
             settings->on_uncertain == OnUncertain::review;
    });
    if (!may_doubt) {
      faults.add(
          "E047", when->node.place,
          "stage " + in_quotes(draft.name) + " has no gate that can be uncertain",
          "only a gate with `run:` can answer \"uncertain\"; add one, or use another `when`");
    }
  }
  return policy;
}

/// The people and groups of one key, which are also noted in the draft.
std::vector<std::string> read_assignees(Faults& faults, const Value& value, StageDraft& draft) {
  const std::vector<PlacedText> assignees = read_text_or_texts(faults, value);
  if (value.node.kind == YamlNode::Kind::list && value.node.list.empty()) {
    faults.add("E011", value.node.place, value.what + " is empty",
               "name somebody, or leave the key out");
  }
  for (const PlacedText& assignee : assignees) {
    if (const Status good = check_assignee(assignee.text); !good) {
      faults.add("E019", assignee.place,
                 in_quotes(assignee.text) + " cannot be the name of a person or group",
                 good.error().help);
    }
    draft.assignees.push_back(assignee);
  }
  return texts_of(assignees);
}

void read_rules(Faults& faults, const MapReader& reader, StageDraft& draft) {
  ReviewRules& rules = draft.definition.review_rules;
  if (const auto assign = reader.find("assign")) {
    rules.assign = read_assignees(faults, *assign, draft);
  }
  if (const auto approvals = reader.with("approvals", read_count)) rules.approvals = *approvals;
  if (const auto own = reader.with("self_approval", read_boolean)) rules.self_approval = *own;
  if (const auto due = reader.with("due", read_duration, Zero::refused)) rules.due = *due;
  if (const auto overdue = reader.with("overdue", read_enum<OnOverdue>)) rules.overdue = *overdue;
  if (const auto escalate_to = reader.find("escalate_to")) {
    rules.escalate_to = read_assignees(faults, *escalate_to, draft);
  }
  if (const auto bulk = reader.with("bulk", read_boolean)) rules.bulk = *bulk;
  if (const auto reasons = reader.find("reasons")) {
    rules.reasons = texts_of(read_texts(faults, *reasons));
    refuse_references(faults, *reasons);
  }
}

void check_contradictions(Faults& faults, const MapReader& reader,
                          std::optional<ReviewPolicy> policy, const StageDraft& draft) {
  const bool has_reviews = policy != ReviewPolicy::never || draft.is_human();
  for (const RuleFault& fault : contradictions_in(draft.definition.review_rules, has_reviews)) {
    faults.add("E059", reader.find(fault.rule)->node.place,
               "stage " + in_quotes(draft.name) + " " + fault.what, fault.help);
  }
}

}  // namespace

std::optional<ReviewPolicy> read_review(Faults& faults, const Value& value, StageDraft& draft) {
  const bool is_policy = std::ranges::count(all_names<ReviewPolicy>(), value.node.text) > 0;
  const std::string meant = is_policy ? value.node.text : "always";
  if (!expect_map(faults, value, "write review: { when: " + meant + " }")) return std::nullopt;
  const MapReader reader(faults, value.node, KeyPlace::review, value.what);
  draft.editable = reader.with("editable", read_texts);
  draft.definition.editable = texts_of(draft.editable);
  if (const auto show = reader.find("show")) read_show(faults, *show, draft);
  if (const auto rerun = reader.find("changes_rerun")) {
    if (const auto stage = read_text(faults, *rerun)) {
      draft.changes_rerun = PlacedText{*stage, rerun->node.place};
      draft.definition.changes_rerun = *stage;
    }
  }
  if (const auto rejected = reader.find("rejected")) {
    draft.definition.rejected = read_rejected(faults, *rejected, draft);
  }
  if (const auto instructions = reader.find("instructions")) {
    draft.action.instructions = read_text(faults, *instructions).value_or("");
    refuse_references(faults, *instructions);
  }
  const std::size_t faults_before = faults.error_count();
  read_rules(faults, reader, draft);
  const bool are_rules_known = faults.error_count() == faults_before;
  const std::optional<ReviewPolicy> policy = read_when(faults, reader, value, draft);
  if (are_rules_known) check_contradictions(faults, reader, policy, draft);
  return policy;
}

}  // namespace pawl::workflow
