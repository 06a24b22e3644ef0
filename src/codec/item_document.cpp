#include <optional>
#include <utility>
#include <vector>

#include "codec/document_writer.hpp"
#include "codec/object_writer.hpp"
#include "pawl/codec/documents.hpp"

namespace pawl {
namespace {

/// What a state says about its why.
std::string_view cause_of(const ShownTask& task) {
  switch (task.kind()) {
    case StateKind::awaiting_review:
      return name_of(std::get<AwaitingReview>(task.state).reason);
    case StateKind::skipped:
      return name_of(std::get<Skipped>(task.state).reason);
    case StateKind::failed:
      return name_of(std::get<Failed>(task.state).cause);
    case StateKind::cancelled:
      return name_of(std::get<Cancelled>(task.state).cause);
    case StateKind::running:
    case StateKind::retry_scheduled:
      return task.stored ? name_of(task.stored->cause) : std::string_view{};
    case StateKind::waiting:
    case StateKind::ready:
    case StateKind::expanded:
    case StateKind::succeeded:
      return {};
  }
  return {};
}

void append_task(std::string& out, const StageDefinition& stage, const ShownTask& task) {
  ObjectWriter object(out);
  const std::optional<Task>& stored = task.stored;
  object.write("stage", stage.name);
  object.write("task", stored ? Json{stored->id.value()} : Json{});
  object.write("state", task.kind());
  object.write<AttemptNumber>("attempts", stored ? stored->attempts : 0);
  object.write<std::uint32_t>("epoch", stored ? stored->epoch : 1);
  write_name(object, "cause", cause_of(task));
  const auto* const retry = std::get_if<RetryScheduled>(&task.state);
  write_time(object, "next_run_at", retry != nullptr ? retry->next_run_at : no_time);
  const bool has_feedback = stored && stored->feedback;
  object.write("feedback", has_feedback ? feedback_document(*stored->feedback) : Json{});
}

}  // namespace

Json item_document(const Item& item, const Workflow& workflow, const std::vector<Task>& tasks,
                   std::optional<CancelCause> job_cancelled) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("item", item.key);
    object.write("item_id", item.id.value());
    object.write("job", item.job.value());
    object.write("state", shown_state(item, job_cancelled));
    write_name(object, "category", item.category);
    object.member("tasks") += '[';
    bool is_first = true;
    for (const ShownTask& task : shown_tasks(workflow, item, tasks, job_cancelled)) {
      if (!std::exchange(is_first, false)) out += ',';
      append_task(out, workflow.stage(task.stage), task);
    }
    out += ']';
    object.write("adopted_from", item.adopted_from ? Json{item.adopted_from.value()} : Json{});
    write_time(object, "submitted_at", item.submitted_at);
    object.write("data", item.data);
  }
  return Json::trusted(std::move(out));
}

}  // namespace pawl
