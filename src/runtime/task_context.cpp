#include "runtime/task_context.hpp"

#include <algorithm>

#include "pawl/codec/json.hpp"

namespace pawl {

namespace {

constexpr std::uint32_t page_size = 500;
constexpr std::string_view digest_prefix = "sha256:";

}  // namespace

Json payload_reference(const std::string& sha256, std::size_t size) {
  return Json::object({{"$ref", std::string(digest_prefix) + sha256}, {"size", size}});
}

const std::string& TaskContext::workflow_name() const { return attempt_->plan->workflow.name(); }
const std::string& TaskContext::stage_name() const { return attempt_->stage().name; }
std::uint32_t TaskContext::max_attempts() const { return attempt_->stage().retry.attempts_max(); }

std::string TaskContext::idempotency_key() const {
  return pawl::idempotency_key(attempt_->task, item_key(), stage_name());
}

const ChildPart* TaskContext::child() const {
  return attempt_->task.child ? &*attempt_->task.child : nullptr;
}

/// A payload over the inline limit is read back from its file.
Result<Json> TaskContext::resolved(Json output) {
  // Only a short text can be a reference; this keeps the usual output unread.
  if (output.size() > 128 || !output.text().starts_with(R"({"$ref":)")) return output;
  const std::optional<Json> reference = member(output, "$ref");
  const std::optional<std::string> digest = reference ? string_of(*reference) : std::nullopt;
  if (!digest || !digest->starts_with(digest_prefix)) return output;
  Result<std::string> bytes = store_->records().payload(digest->substr(digest_prefix.size()));
  if (!bytes) return std::unexpected(bytes.error());
  return Json::trusted(std::move(*bytes));
}

Result<Upstream> TaskContext::upstream(std::string_view stage) {
  const Workflow& workflow = attempt_->plan->workflow;
  const Result<StageIndex> index = workflow.require_stage(stage);
  if (!index) return std::unexpected(index.error());
  if (const auto kept = attempt_->hold->kept(*index)) {
    return Upstream{.json = kept->json, .typed = kept->typed, .edited = kept->edited, .state = kept->state};
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
  Result<Json> json = resolved(stored->output);
  if (!json) return std::unexpected(json.error());
  auto kept = std::make_shared<const KeptOutput>(
      KeptOutput{.json = std::move(*json), .typed = {}, .edited = stored->edited, .state = stored->state});
  attempt_->hold->keep(*index, kept);
  return Upstream{.json = kept->json, .typed = {}, .edited = kept->edited, .state = kept->state};
}

Result<std::vector<Attempt>> TaskContext::history() {
  return store_->records().attempts(attempt_->task.id);
}

Status TaskContext::for_each_item(const std::function<bool(const SettledItem&)>& visit) {
  ItemFilter filter{.job = job(), .category = {}, .limit = page_size};
  for (;;) {
    const auto page = store_->records().items(filter);
    if (!page) return std::unexpected(page.error());
    for (const Item& item : *page) {
      auto outputs = store_->records().outputs(item.id);
      if (!outputs) return std::unexpected(outputs.error());
      for (StageOutput& one : *outputs) {
        Result<Json> json = resolved(std::move(one.output));
        if (!json) return std::unexpected(json.error());
        one.output = std::move(*json);
      }
      if (!visit({.item = item, .outputs = std::move(*outputs)})) return {};
    }
    if (page->size() < page_size) return {};
    filter.after = page->back().id;
  }
}

Status TaskContext::for_each_child(const std::function<bool(const EndedChild&)>& visit) {
  return visit_children(attempt_->task.id, visit);
}

Status TaskContext::for_each_child_of(std::string_view stage,
                                      const std::function<bool(const EndedChild&)>& visit) {
  const Result<StageIndex> index = attempt_->plan->workflow.require_stage(stage);
  if (!index) return std::unexpected(index.error());
  return visit_children(task_id(ordinal_of(attempt_->task.id), *index), visit);
}

Status TaskContext::visit_children(TaskId parent,
                                   const std::function<bool(const EndedChild&)>& visit) {
  const Result<Task> parent_row = store_->records().task(parent);
  if (!parent_row) return std::unexpected(parent_row.error());
  TaskFilter filter{.parent = parent, .limit = page_size};
  for (;;) {
    const auto page = store_->records().tasks(filter);
    if (!page) return std::unexpected(page.error());
    for (const Task& child : *page) {
      if (child.child->expansion != parent_row->expansion) continue;
      EndedChild ended{
          .key = child.child->key, .state = child.kind(), .data = child.child->data, .output = {}};
      if (child.kind() == StateKind::succeeded) {
        const auto output = store_->records().output(child.id);
        if (!output) return std::unexpected(output.error());
        Result<Json> json = resolved(output->output);
        if (!json) return std::unexpected(json.error());
        ended.output = std::move(*json);
      }
      if (!visit(ended)) return {};
    }
    if (page->size() < page_size) return {};
    filter.after = page->back().id;
  }
}

}  // namespace pawl
