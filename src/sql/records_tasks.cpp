/// Tasks and their outputs, one by one; for lists see records_task_lists.cpp.

#include "sql/attempt_codec.hpp"
#include "sql/fault.hpp"
#include "sql/reading.hpp"
#include "sql/review_codec.hpp"
#include "sql/sql_text.hpp"
#include "sql/task_codec.hpp"
#include "store/no_such.hpp"

namespace pawl::sql {

namespace {

/// The numbers of stages are cached for at most this many jobs.
constexpr std::size_t known_jobs_max = 1'000;

constexpr auto select_task = joined("SELECT ", task_columns, " FROM tasks WHERE id = ?1");
constexpr auto select_tasks_between =
    joined("SELECT ", task_columns, " FROM tasks WHERE id >= ?1 AND id < ?2 ORDER BY id");

std::vector<Task> tasks_from(Cursor row) {
  std::vector<Task> tasks;
  while (row.next()) tasks.push_back(task_of(row));
  return tasks;
}

std::optional<Task> find_task(Session& session, TaskId id) {
  Cursor row = session.prepared(select_task).query(id);
  if (!row.next()) return std::nullopt;
  return task_of(row);
}

/// The output of the chosen attempt, or the edits of a reviewer.
StageOutput stage_output(Session& session, const Task& task) {
  StageOutput out{.stage = task.stage(), .state = task.kind()};
  const auto* succeeded = std::get_if<Succeeded>(&task.state);
  if (succeeded == nullptr) return out;
  out.attempt = succeeded->attempt;
  if (auto kept = output_of(session, task.id, succeeded->attempt)) {
    out.output = std::move(kept->first);
    out.artifacts = std::move(kept->second);
  }
  if (succeeded->edited_by) {
    const std::optional<Review> review = review_with_id(session, succeeded->edited_by);
    if (!review || !review->answer || !review->answer->edits) {
      throw Fault(
          ErrorCode::corrupt,
          "the edits of review " + std::to_string(succeeded->edited_by.value()) + " are missing");
    }
    out.edited = true;
    out.output = *review->answer->edits;
  }
  return out;
}

std::vector<Task> tasks_of_item(Session& session, ItemId item) {
  return tasks_from(
      session.prepared(select_tasks_between)
          .query(task_id(item, StageIndex{}), task_id(item.value() + 1, StageIndex{})));
}

}  // namespace

/// Callers look up the stage of a task in the workflow, so a task without a stage is detected here.
/// Checked after the read, because the workflow is read under its own snapshot.
std::optional<Error> SqlRecords::has_no_stage(const Task& task) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = stage_counts_.find(task.job);
    if (known != stage_counts_.end()) return beyond_stages(task, known->second);
  }
  const Result<Job> its = job(task.job);
  if (!its && its.error().code == ErrorCode::not_found) return std::nullopt;
  if (!its) return its.error();
  const Result<Workflow> flow = workflow(its->workflow_hash);
  if (!flow) return flow.error();
  const std::lock_guard lock(mutex_);
  if (stage_counts_.size() >= known_jobs_max) stage_counts_.clear();
  stage_counts_.insert_or_assign(task.job, flow->stage_count());
  return beyond_stages(task, flow->stage_count());
}

Result<std::vector<Task>> SqlRecords::of_known_stages(Result<std::vector<Task>> tasks) {
  if (!tasks) return tasks;
  for (const Task& task : *tasks) {
    if (std::optional<Error> damaged = has_no_stage(task)) return std::unexpected(*damaged);
  }
  return tasks;
}

Result<Task> SqlRecords::task(TaskId id) {
  Result<Task> task = read([&](Session& session) -> Result<Task> {
    std::optional<Task> found = find_task(session, id);
    if (!found) return store::no_such(id);
    return *std::move(found);
  });
  if (!task) return task;
  if (std::optional<Error> damaged = has_no_stage(*task)) return std::unexpected(*damaged);
  return task;
}

Result<std::vector<Task>> SqlRecords::tasks_of(ItemId item) {
  return of_known_stages(read(
      [&](Session& session) -> Result<std::vector<Task>> { return tasks_of_item(session, item); }));
}

Result<std::vector<StageOutput>> SqlRecords::outputs(ItemId id) {
  return read([&](Session& session) -> Result<std::vector<StageOutput>> {
    ItemId original;
    {
      Cursor row = session.prepared("SELECT adopted_from FROM items WHERE id = ?1").query(id);
      if (!row.next()) return store::no_such(id);
      original = row.as<ItemId>(0);
    }
    std::vector<StageOutput> outputs;
    for (const Task& task : tasks_of_item(session, original ? original : id)) {
      if (has_ended(task.state)) outputs.push_back(stage_output(session, task));
    }
    return outputs;
  });
}

Result<StageOutput> SqlRecords::output(TaskId id) {
  return read([&](Session& session) -> Result<StageOutput> {
    const std::optional<Task> task = find_task(session, id);
    if (!task) return store::no_such(id);
    return stage_output(session, *task);
  });
}

}  // namespace pawl::sql
