#include "actions/recorded_input.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "pawl/store/results.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl::actions {

using workflow::Reference;

namespace {

/// The output of an upstream stage; null if it has none.
Result<Json> stage_output(Records& records, const InputSource& source, const std::string& stage) {
  const std::optional<StageIndex> index = source.workflow.find(stage);
  if (!index) return Json();
  if (source.workflow.stage(*index).scope == Scope::all) {
    const TaskId own = source.task.child ? source.task.child->parent : source.task.id;
    const Result<StageOutput> output = records.output(task_id(ordinal_of(own), *index));
    if (output) return whole_output(records, output->output);
    if (output.error().code == ErrorCode::not_found) return Json();
    return std::unexpected(output.error());
  }
  if (source.item == nullptr) return Json();
  const Result<std::vector<StageOutput>> outputs = records.outputs(source.item->id);
  if (!outputs) return std::unexpected(outputs.error());
  const auto found = std::ranges::find(*outputs, *index, &StageOutput::stage);
  return found == outputs->end() ? Result<Json>(Json()) : whole_output(records, found->output);
}

}  // namespace

Lookup recorded_lookup(Records& records, const InputSource& source, Json in, Json out) {
  return [&records, source, in = std::move(in),
          out = std::move(out)](const Reference& reference) -> Result<Json> {
    switch (reference.root) {
      case Reference::Root::item:
        if (source.item == nullptr) return Json();
        return item_value(source.item->key, source.item->data, reference.path);
      case Reference::Root::params:
        return value_at(source.job.params, reference.path);
      case Reference::Root::each:
        return source.task.child ? value_at(source.task.child->data, reference.path) : Json();
      case Reference::Root::stage: {
        const Result<Json> output = stage_output(records, source, reference.stage);
        if (!output) return output;
        return value_at(*output, reference.path);
      }
      case Reference::Root::in:
        return value_at(in, reference.path);
      case Reference::Root::out:
        return value_at(out, reference.path);
    }
    return Json();
  };
}

Result<Json> recorded_input(Records& records, const InputSource& source) {
  const Result<ActionSpec> action = action_from(source.workflow.stage(source.task.stage()).params);
  if (!action || action->in.empty()) return Json();
  // The input of a fan-out is that of its children.
  if (!action->each.empty() && !source.task.child) return Json();
  return resolve_fields(action->in, recorded_lookup(records, source));
}

}  // namespace pawl::actions
