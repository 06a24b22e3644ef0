#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "codec/object_writer.hpp"
#include "pawl/views/documents.hpp"
#include "views/address.hpp"
#include "views/document_writer.hpp"
#include "views/items.hpp"
#include "views/labels.hpp"
#include "views/outputs.hpp"

namespace pawl {

using namespace views;

namespace {

/// When the row of a task was written last. Its version tells: see `next_stamp`.
Timestamp updated_at(const Item& item, const ShownTask& task) {
  if (!task.stored) return no_time;
  return std::max(item.submitted_at, Timestamp{Timestamp::duration{task.stored->version}});
}

using Joins = std::map<TaskId, AttemptNumber>;

/// The attempts after the first, without those that join the children of a fan-out.
AttemptNumber retry_count(const Task& task, const Joins& joins) {
  const auto own = joins.find(task.id);
  const AttemptNumber needed = 1 + (own == joins.end() ? 0 : own->second);
  return task.attempts > needed ? task.attempts - needed : 0;
}

void append_task(std::string& out, const Item& item, const StageDefinition& stage,
                 const ShownTask& task, const Joins& joins) {
  codec::ObjectWriter object(out);
  const std::optional<Task>& stored = task.stored;
  object.write("stage", stage.name);
  object.write("task", stored ? Json{stored->id.value()} : Json{});
  object.write("state", task.kind());
  object.write("label", label_of(task.kind()));
  object.write("version", stored ? Json{stored->version} : Json{});
  object.write<AttemptNumber>("attempts", stored ? stored->attempts : 0);
  object.write<std::uint32_t>("epoch", stored ? stored->epoch : 1);
  write_name(object, "cause", cause_of(task));
  const auto* const retry = std::get_if<RetryScheduled>(&task.state);
  write_time(object, "next_run_at", retry != nullptr ? retry->next_run_at : no_time);
  const bool has_feedback = stored && stored->feedback;
  object.write("feedback", has_feedback ? feedback_document(*stored->feedback) : Json{});
  object.write<AttemptNumber>("retry_count", stored ? retry_count(*stored, joins) : 0);
  write_time(object, "created_at", item.submitted_at);
  write_time(object, "updated_at", updated_at(item, task));
}

Json document_of(const Item& item, ItemState state, const std::vector<ShownTask>& tasks,
                 const Workflow& workflow, const Joins& joins) {
  std::string out;
  {
    codec::ObjectWriter object(out);
    object.write("item", item.key);
    object.write("item_id", item.id.value());
    object.write("job", item.job.value());
    object.write("state", state);
    object.write("label", label_of(state));
    write_name(object, "cause", cause_in_words(tasks, workflow));
    write_name(object, "category", item.category);
    object.member("tasks") += '[';
    bool is_first = true;
    for (const ShownTask& task : tasks) {
      if (!std::exchange(is_first, false)) out += ',';
      append_task(out, item, workflow.stage(task.stage), task, joins);
    }
    out += ']';
    object.write("adopted_from", item.adopted_from ? Json{item.adopted_from.value()} : Json{});
    write_time(object, "submitted_at", item.submitted_at);
    object.write("data", item.data);
  }
  return Json::trusted(std::move(out));
}

}  // namespace

Json item_document(const Item& item, const Workflow& workflow, const std::vector<Task>& tasks,
                   std::optional<CancelCause> job_cancelled, const Joins& joins) {
  return document_of(item, shown_state(item, job_cancelled),
                     shown_tasks(workflow, item, tasks, job_cancelled), workflow, joins);
}

AttemptNumber joins_of(const Task& task, const std::vector<Attempt>& closed) {
  AttemptNumber joins = 0;
  bool has_expanded = false;  // and not been joined since
  for (const Attempt& attempt : closed) {
    if (has_expanded && attempt.cause == Cause::join) ++joins;
    has_expanded = attempt.result == AttemptResult::expanded;
  }
  const bool is_joining = task.kind() == StateKind::running && task.cause == Cause::join;
  return joins + (is_joining && has_expanded ? 1 : 0);
}

namespace views {

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

std::string cause_in_words(const std::vector<ShownTask>& tasks, const Workflow& workflow) {
  std::string words;
  for (const ShownTask& task : tasks) {
    const StateKind state = task.kind();
    const bool is_quiet =
        state == StateKind::waiting || state == StateKind::skipped || state == StateKind::succeeded;
    if (is_quiet) continue;
    const std::string_view cause = cause_of(task);
    words += (words.empty() ? "" : ", ") + workflow.stage(task.stage).name + ": " +
             std::string(label_of(state));
    if (!cause.empty()) words += " (" + std::string(cause) + ")";
  }
  return words;
}

Result<ShownItem> load_item(Records& records, const Item& item, const Job& job,
                            const Workflow& workflow) {
  Result<std::vector<Task>> tasks = records.tasks_of(item.id);
  if (!tasks) return std::unexpected(std::move(tasks.error()));
  Joins joins;
  for (const Task& task : *tasks) {
    if (task.expansion == 0) continue;
    const Result<std::vector<Attempt>> attempts = records.attempts(task.id);
    if (!attempts) return std::unexpected(attempts.error());
    joins.emplace(task.id, joins_of(task, *attempts));
  }
  return ShownItem{.item = item,
                   .state = shown_state(item, job.cancelled),
                   .tasks = shown_tasks(workflow, item, std::move(*tasks), job.cancelled),
                   .joins = std::move(joins)};
}

Json child_document(const Task& child, const Workflow& workflow,
                    std::optional<CancelCause> cancelled) {
  ShownTask shown{.stage = child.stage(), .state = child.state, .stored = child};
  const bool is_cut = cancelled && !has_ended(child.kind()) && child.kind() != StateKind::running;
  if (is_cut) shown.state = Cancelled{.cause = *cancelled};
  const auto* const retry = std::get_if<RetryScheduled>(&shown.state);
  std::string out;
  {
    codec::ObjectWriter object(out);
    object.write("child", child.child ? child.child->key : std::string());
    object.write("stage", workflow.stage(child.stage()).name);
    object.write("task", child.id.value());
    object.write("state", shown.kind());
    object.write("label", label_of(shown.kind()));
    object.write("version", Json{child.version});
    write_name(object, "cause", cause_of(shown));
    object.write("attempts", child.attempts);
    object.write("epoch", child.epoch);
    write_time(object, "next_run_at", retry != nullptr ? retry->next_run_at : no_time);
    object.write("data", child.child ? child.child->data : Json{});
  }
  return Json::trusted(std::move(out));
}

Json shown_item_document(const ShownItem& shown, const Workflow& workflow) {
  return with_member(document_of(shown.item, shown.state, shown.tasks, workflow, shown.joins), "id",
                     address_of(shown.item.job, workflow, shown.item.key));
}

}  // namespace views
}  // namespace pawl
