#include "runtime/task_context.hpp"

#include <algorithm>

#include "pawl/core/needs.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/store/results.hpp"

namespace pawl::runtime {

namespace {

constexpr std::uint32_t page_size = 500;

}  // namespace

const std::string& TaskContext::stage_name() const { return attempt_->stage().name; }
std::uint32_t TaskContext::max_attempts() const { return attempt_->stage().retry.attempts_max(); }

std::string TaskContext::idempotency_key() const {
  return pawl::idempotency_key(attempt_->task, item_key(), stage_name());
}

const ChildPart* TaskContext::child() const {
  return attempt_->task.child ? &*attempt_->task.child : nullptr;
}

template <class Answer>
Answer TaskContext::noted(Answer answer) const {
  if (!answer && answer.error().code == ErrorCode::unavailable) attempt_->missed_store = true;
  return answer;
}

Result<Upstream> TaskContext::upstream(std::string_view stage) {
  return noted(read_upstream(stage));
}

/// Whether another stage has an output, or has one yet, depends on the order in which workers run
/// things. So it cannot be read at all.
Status TaskContext::check_is_upstream(StageIndex other) const {
  const Workflow& workflow = attempt_->plan->workflow;
  if (is_upstream(workflow, other, attempt_->task.stage())) return {};
  const std::string& name = workflow.stage(other).name;
  if (other == attempt_->task.stage()) {
    return fail(ErrorCode::invalid, "stage '" + name + "' reads its own output",
                "read its earlier attempts with history()");
  }
  return fail(ErrorCode::invalid,
              "stage '" + stage_name() + "' reads '" + name + "' but does not need it",
              "add '" + name + "' to the needs of '" + stage_name() + "'");
}

Result<Upstream> TaskContext::read_upstream(std::string_view stage) {
  const Workflow& workflow = attempt_->plan->workflow;
  const Result<StageIndex> index = workflow.require_stage(stage);
  if (!index) return std::unexpected(index.error());
  if (const Status readable = check_is_upstream(*index); !readable) {
    return std::unexpected(readable.error());
  }
  if (const auto kept = attempt_->hold->kept(*index)) {
    return Upstream{
        .json = kept->json, .typed = kept->typed, .edited = kept->edited, .state = kept->state};
  }
  const bool is_job_wide = workflow.stage(*index).scope == Scope::all;
  Result<StageOutput> stored =
      fail(ErrorCode::not_found, "stage '" + std::string(stage) + "' has no output yet");
  if (is_job_wide) {
    stored = store_->records().output(task_id(attempt_->plan->reduce_ordinal, *index));
  } else if (attempt_->task.item) {
    const auto outputs = store_->records().outputs(attempt_->task.item);
    if (!outputs) return std::unexpected(outputs.error());
    const auto found = std::ranges::find(*outputs, *index, &StageOutput::stage);
    if (found != outputs->end()) stored = *found;
  }
  if (!stored) return std::unexpected(stored.error());
  Result<Json> json = whole_output(store_->records(), stored->output);
  if (!json) return std::unexpected(json.error());
  auto kept = std::make_shared<const KeptOutput>(KeptOutput{
      .json = std::move(*json), .typed = {}, .edited = stored->edited, .state = stored->state});
  attempt_->hold->keep(*index, kept);
  return Upstream{.json = kept->json, .typed = {}, .edited = kept->edited, .state = kept->state};
}

Result<std::vector<Attempt>> TaskContext::history() {
  if (attempt_->history) return *attempt_->history;
  return noted(store_->records().attempts(attempt_->task.id));
}

Status TaskContext::for_each_item(const std::function<bool(const SettledItem&)>& visit) {
  return noted(for_each_result(store_->records(), job(), visit));
}

Status TaskContext::for_each_child(const std::function<bool(const EndedChild&)>& visit) {
  return noted(visit_children(attempt_->task.id, visit));
}

Status TaskContext::for_each_child_of(std::string_view stage,
                                      const std::function<bool(const EndedChild&)>& visit) {
  const Result<StageIndex> index = attempt_->plan->workflow.require_stage(stage);
  if (!index) return std::unexpected(index.error());
  if (*index != attempt_->task.stage()) {
    if (const Status readable = check_is_upstream(*index); !readable) return readable;
  }
  return noted(visit_children(task_id(ordinal_of(attempt_->task.id), *index), visit));
}

Status TaskContext::visit_children(TaskId parent,
                                   const std::function<bool(const EndedChild&)>& visit) {
  const Result<Task> parent_row = store_->records().task(parent);
  if (!parent_row) return std::unexpected(parent_row.error());
  Records& records = store_->records();
  const TaskFilter children{.parent = parent, .limit = page_size};
  return each_row(records, children, [&](const Task& child) -> Result<bool> {
    if (child.child->expansion != parent_row->expansion) return true;
    EndedChild ended{
        .key = child.child->key, .state = child.kind(), .data = child.child->data, .output = {}};
    if (child.kind() == StateKind::succeeded) {
      const auto output = records.output(child.id);
      if (!output) return std::unexpected(output.error());
      Result<Json> json = whole_output(records, output->output);
      if (!json) return std::unexpected(json.error());
      ended.output = std::move(*json);
    }
    return visit(ended);
  });
}

}  // namespace pawl::runtime
