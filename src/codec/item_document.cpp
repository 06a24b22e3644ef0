#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "codec/document_writer.hpp"
#include "codec/object_writer.hpp"
#include "pawl/codec/documents.hpp"

namespace pawl {
namespace {

/// How one stage of the item shows.
struct Shown {
  const Task* task = nullptr;  ///< null: nothing is stored
  StateKind state = StateKind::waiting;
  std::string_view cause{};
};

/// What a stored state says about its why.
std::string_view cause_of(const Task& task) {
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
      return name_of(task.cause);
    case StateKind::waiting:
    case StateKind::ready:
    case StateKind::expanded:
    case StateKind::succeeded:
      return {};
  }
  return {};
}

/// A need that can never be satisfied any more, so that everything behind it is skipped.
bool breaks_what_follows(const Shown& need, const StageDefinition& stage) {
  switch (need.state) {
    case StateKind::failed:
      return stage.on_failure != OnFailure::proceed;
    case StateKind::cancelled:
      return true;
    case StateKind::skipped:
      return need.cause == name_of(SkipReason::upstream_failed);
    case StateKind::waiting:
    case StateKind::ready:
    case StateKind::running:
    case StateKind::retry_scheduled:
    case StateKind::awaiting_review:
    case StateKind::expanded:
    case StateKind::succeeded:
      return false;
  }
  return false;
}

Shown shown_stage(const Workflow& workflow, StageIndex stage, const Task* task,
                  const std::vector<Shown>& before, std::optional<CancelCause> cancelled) {
  Shown shown{.task = task};
  if (task != nullptr) {
    shown.state = task->kind();
    shown.cause = cause_of(*task);
  }
  if (has_ended(shown.state) || shown.state == StateKind::running) return shown;
  if (cancelled) {
    shown.state = StateKind::cancelled;
    shown.cause = name_of(*cancelled);
    return shown;
  }
  // Only what still waits can be passed over: everything else had its needs satisfied.
  if (shown.state != StateKind::waiting) return shown;
  for (const StageIndex need : workflow.plan(stage).needs) {
    if (!breaks_what_follows(before[at(need)], workflow.stage(need))) continue;
    shown.state = StateKind::skipped;
    shown.cause = name_of(SkipReason::upstream_failed);
  }
  return shown;
}

std::vector<Shown> shown_stages(const Item& item, const Workflow& workflow,
                                const std::vector<Task>& tasks,
                                std::optional<CancelCause> cancelled) {
  std::vector<const Task*> stored(workflow.stage_count());
  for (const Task& task : tasks) {
    if (!task.child && at(task.stage()) < stored.size()) stored[at(task.stage())] = &task;
  }
  // An adopted item's tasks are its original's; without them its state says it all.
  const bool is_adopted_whole = item.adopted_from && tasks.empty();
  std::vector<Shown> shown(workflow.stage_count());
  for (const StageIndex stage : workflow.topological_order()) {
    shown[at(stage)] = is_adopted_whole
                           ? Shown{.state = StateKind::succeeded}
                           : shown_stage(workflow, stage, stored[at(stage)], shown, cancelled);
  }
  return shown;
}

void append_task(std::string& out, const StageDefinition& stage, const Shown& shown) {
  ObjectWriter object(out);
  const Task* const task = shown.task;
  object.write("stage", stage.name);
  object.write("task", task != nullptr ? Json{task->id.value()} : Json{});
  object.write("state", shown.state);
  object.write<AttemptNumber>("attempts", task != nullptr ? task->attempts : 0);
  object.write<std::uint32_t>("epoch", task != nullptr ? task->epoch : 1);
  write_name(object, "cause", shown.cause);
  const auto* const retry = task != nullptr ? std::get_if<RetryScheduled>(&task->state) : nullptr;
  const bool will_retry = retry != nullptr && shown.state == StateKind::retry_scheduled;
  write_time(object, "next_run_at", will_retry ? retry->next_run_at : no_time);
  const bool has_feedback = task != nullptr && task->feedback;
  object.write("feedback", has_feedback ? feedback_document(*task->feedback) : Json{});
}

}  // namespace

ItemState shown_state(const Item& item, std::optional<CancelCause> job_cancelled) {
  const bool is_cut_short = item.cancelled || job_cancelled;
  return is_cut_short && item.state == ItemState::active ? ItemState::cancelled : item.state;
}

Json item_document(const Item& item, const Workflow& workflow, const std::vector<Task>& tasks,
                   std::optional<CancelCause> job_cancelled) {
  const std::optional<CancelCause> cancelled = item.cancelled ? item.cancelled : job_cancelled;
  const std::vector<Shown> shown = shown_stages(item, workflow, tasks, cancelled);
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
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const StageDefinition& stage = workflow.stage(static_cast<StageIndex>(i));
      if (stage.scope == Scope::all) continue;  // a task of the job, not of the item
      if (!std::exchange(is_first, false)) out += ',';
      append_task(out, stage, shown[i]);
    }
    out += ']';
    object.write("adopted_from", item.adopted_from ? Json{item.adopted_from.value()} : Json{});
    write_time(object, "submitted_at", item.submitted_at);
    object.write("data", item.data);
  }
  return Json::trusted(std::move(out));
}

}  // namespace pawl
