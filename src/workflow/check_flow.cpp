#include "workflow/check_flow.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/workflow_cycles.hpp"
#include "workflow/known_types.hpp"
#include "workflow/upstream.hpp"

namespace pawl::workflow {
namespace {

Place place_of_need(const StageDraft& stage, std::string_view need) {
  for (std::size_t i = 0; i < stage.needs.size() && i < stage.definition.needs.size(); ++i) {
    if (stage.definition.needs[i] == need) return stage.needs[i].place;
  }
  return stage.place;
}

void check_cycles(Faults& faults, const FileDraft& file, const NeedGraph& graph) {
  for (const std::vector<std::size_t>& cycle : cycles_of(graph)) {
    std::string path = "cycle: ";
    for (const std::size_t stage : cycle) path += file.stages[stage].name + " → ";
    const StageDraft& first = file.stages[cycle.front()];
    const StageDraft& second = file.stages[cycle.size() > 1 ? cycle[1] : cycle[0]];
    faults.add("E021", place_of_need(first, second.name), path + first.name,
               "each stage needs the next one; remove one of the needs");
  }
}

void check_scopes(Faults& faults, const FileDraft& file, const StageDraft& stage) {
  if (stage.definition.scope == Scope::all) return;
  for (const std::string& need : stage.definition.needs) {
    const StageDraft* const other = file.find_stage(need);
    if (other == nullptr || other->definition.scope != Scope::all) continue;
    faults.add("E028", place_of_need(stage, need),
               "stage " + in_quotes(stage.name) + " runs for each item and cannot need " +
                   in_quotes(need) + ", which runs once for all items",
               "give it scope: all too");
  }
}

void check_changes_rerun(Faults& faults, const FileDraft& file, Upstream& upstream,
                         const StageDraft& stage) {
  if (!stage.changes_rerun) return;
  const auto& [target, place] = *stage.changes_rerun;
  const StageDraft* const other = file.find_stage(target);
  if (other == nullptr) {
    faults.add_misspelt("E012", place, "no stage " + in_quotes(target), target, file.stage_names(),
                        "the stages are: " + listed(file.stage_names()));
  } else if (other == &stage || !upstream.needs(stage, *other)) {
    faults.add("E049", place,
               "stage " + in_quotes(stage.name) + " cannot send changes back to " +
                   in_quotes(target) + ", which it does not need",
               "name an upstream stage, or leave the key out to rerun the stage itself");
  } else if (stage.definition.scope == Scope::all && other->definition.scope == Scope::item) {
    faults.add("E049", place,
               "stage " + in_quotes(stage.name) + " runs once for all items and cannot rerun " +
                   in_quotes(target) + ", which runs for each item",
               "name a stage with scope: all, or rerun the items by hand");
  }
}

/// Maps each stage to the first other stage that reads its output.
using Readers = std::map<std::string, const StageDraft*, std::less<>>;

Readers readers_in(const FileDraft& file) {
  Readers readers;
  for (const StageDraft& stage : file.stages) {
    for (const ReferenceUse& use : stage.uses) {
      const bool is_other =
          use.reference.root == Reference::Root::stage && use.reference.stage != stage.name;
      if (is_other) readers.emplace(use.reference.stage, &stage);
    }
    const bool is_handed_it = stage.is_human() && stage.is_in_known && stage.in.empty();
    if (!is_handed_it) continue;
    for (const std::string& need : stage.definition.needs) readers.emplace(need, &stage);
  }
  return readers;
}

void check_continue(Faults& faults, const Readers& readers, const StageDraft& stage) {
  if (stage.definition.on_failure != OnFailure::proceed) return;
  const auto reader = readers.find(stage.name);
  if (reader == readers.end() || reader->second == &stage) return;
  const std::string name = in_quotes(reader->second->name);
  faults.add("E050", stage.on_failure_place,
             "stage " + in_quotes(stage.name) + " has on_failure: continue, but " + name +
                 " reads its output",
             "use on_failure: dead_letter, or do not read it in " + name);
}

/// Checks that the fields that a reviewer may change or is shown exist.
void check_shown_fields(Faults& faults, const KnownTypes& types, const StageDraft& stage) {
  const KnownFields& out = types.fields_of(stage);
  const auto check_out = [&](const PlacedText& written, const std::string& field) {
    if (!out || find_field(out, field) != nullptr) return;
    faults.add_misspelt(
        "E032", written.place,
        "stage " + in_quotes(stage.name) + " declares no output " + in_quotes(field), field,
        names_of(out), "its outputs are: " + listed(names_of(out)));
  };
  for (const PlacedText& field : stage.editable) check_out(field, field.text);
  for (const PlacedText& shown : stage.shown) {
    if (shown.text.starts_with("out.")) {
      check_out(shown, shown.text.substr(4));
    } else if (shown.text.starts_with("in.")) {
      const std::string field = shown.text.substr(3);
      std::vector<std::string> names;
      for (const auto& one : stage.in) names.push_back(one.first);
      if (!stage.is_in_known || std::ranges::find(names, field) != names.end()) continue;
      faults.add_misspelt("E032", shown.place,
                          "stage " + in_quotes(stage.name) + " has no input " + in_quotes(field),
                          field, names, "add it: in: { " + field + ": … }");
    } else {
      faults.add("E018", shown.place, in_quotes(shown.text) + " cannot be shown",
                 "name a field of the stage: out.FIELD or in.FIELD");
    }
  }
}

/// Stages that share a pool share its limits, so they must not set different ones.
void check_pools(Faults& faults, const FileDraft& file) {
  std::map<std::string, const StageDraft*, std::less<>> parallel;
  std::map<std::string, const StageDraft*, std::less<>> rates;
  for (const StageDraft& stage : file.stages) {
    const Limits& limits = stage.definition.limits;
    if (limits.pool.empty()) continue;
    const auto contradict = [&](const Place& place, const StageDraft& first) {
      faults.add("E029", place,
                 "stage " + in_quotes(stage.name) + " sets another limit for the pool " +
                     in_quotes(limits.pool) + " than stage " + in_quotes(first.name),
                 "set the limit in one stage only, or to the same value in all");
    };
    if (limits.parallel > 0) {
      const auto [first, is_new] = parallel.emplace(limits.pool, &stage);
      if (!is_new && first->second->definition.limits.parallel != limits.parallel) {
        contradict(stage.parallel_place, *first->second);
      }
    }
    if (limits.rate.is_set()) {
      const auto [first, is_new] = rates.emplace(limits.pool, &stage);
      if (!is_new && first->second->definition.limits.rate != limits.rate) {
        contradict(stage.rate_place, *first->second);
      }
    }
  }
}

}  // namespace

std::vector<std::string> FileDraft::stage_names() const {
  std::vector<std::string> names;
  for (const StageDraft& stage : stages) names.push_back(stage.name);
  return names;
}

const StageDraft* FileDraft::find_stage(std::string_view stage) const {
  const auto found = places.find(stage);
  return found == places.end() ? nullptr : &stages[found->second];
}

const YamlNode* StageDraft::find_input(std::string_view input) const {
  const auto found = inputs.find(input);
  return found == inputs.end() ? nullptr : found->second;
}

void resolve_needs(Faults& faults, FileDraft& file) {
  const std::vector<std::string> names = file.stage_names();
  for (StageDraft& stage : file.stages) {
    std::vector<PlacedText> resolved;
    for (PlacedText& need : stage.needs) {
      if (file.find_stage(need.text) == nullptr) {
        faults.add_misspelt("E012", need.place, "no stage " + in_quotes(need.text), need.text,
                            names, "the stages are: " + listed(names));
        need.text = meant_by(need.text, names);
      }
      if (!need.text.empty()) resolved.push_back(need);
    }
    stage.needs = std::move(resolved);
    for (const PlacedText& need : stage.needs) stage.definition.needs.push_back(need.text);
  }
}

void check_flow(Faults& faults, const FileDraft& file) {
  Upstream upstream(file);
  check_cycles(faults, file, upstream.graph());
  check_pools(faults, file);
  const Readers readers = readers_in(file);
  const KnownTypes types(file);
  for (const StageDraft& stage : file.stages) {
    check_scopes(faults, file, stage);
    check_changes_rerun(faults, file, upstream, stage);
    check_continue(faults, readers, stage);
    check_shown_fields(faults, types, stage);
  }
}

}  // namespace pawl::workflow
