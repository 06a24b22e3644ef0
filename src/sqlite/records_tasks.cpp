/// Tasks and their outputs, one by one; for lists see records_task_lists.cpp.

#include "sqlite/attempt_codec.hpp"
#include "sqlite/reading.hpp"
#include "sqlite/review_codec.hpp"
#include "sqlite/sql_text.hpp"
#include "sqlite/task_codec.hpp"

namespace pawl::sqlite {

namespace {

constexpr auto select_task = joined("SELECT ", task_columns, " FROM tasks WHERE id = ?1");
constexpr auto select_tasks_between =
    joined("SELECT ", task_columns, " FROM tasks WHERE id >= ?1 AND id < ?2 ORDER BY id");

std::vector<Task> tasks_from(Cursor row) {
  std::vector<Task> tasks;
  while (row.next()) tasks.push_back(task_of(row));
  return tasks;
}

std::optional<Task> find_task(Connection& connection, TaskId id) {
  Cursor row = connection.prepared(select_task).query(id);
  if (!row.next()) return std::nullopt;
  return task_of(row);
}

/// The chosen attempt's output, or a reviewer's edits.
StageOutput stage_output(Connection& connection, const Task& task) {
  StageOutput out{.stage = task.stage(), .state = task.kind()};
  const auto* succeeded = std::get_if<Succeeded>(&task.state);
  if (succeeded == nullptr) return out;
  out.attempt = succeeded->attempt;
  if (auto kept = output_of(connection, task.id, succeeded->attempt)) {
    out.output = std::move(kept->first);
    out.artifacts = std::move(kept->second);
  }
  if (succeeded->edited_by) {
    const std::optional<Review> review = review_with_id(connection, succeeded->edited_by);
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

std::vector<Task> tasks_of_item(Connection& connection, ItemId item) {
  return tasks_from(
      connection.prepared(select_tasks_between)
          .query(task_id(item, StageIndex{}), task_id(item.value() + 1, StageIndex{})));
}

}  // namespace

Result<Task> SqliteRecords::task(TaskId id) {
  return read([&](Connection& connection) -> Result<Task> {
    std::optional<Task> task = find_task(connection, id);
    if (!task) return no_such("task", id.value());
    return *std::move(task);
  });
}

Result<std::vector<Task>> SqliteRecords::tasks_of(ItemId item) {
  return read([&](Connection& connection) -> Result<std::vector<Task>> {
    return tasks_of_item(connection, item);
  });
}

Result<std::vector<StageOutput>> SqliteRecords::outputs(ItemId id) {
  return read([&](Connection& connection) -> Result<std::vector<StageOutput>> {
    ItemId original;
    {
      Cursor row = connection.prepared("SELECT adopted_from FROM items WHERE id = ?1").query(id);
      if (!row.next()) return no_such("item", id.value());
      original = row.as<ItemId>(0);
    }
    std::vector<StageOutput> outputs;
    for (const Task& task : tasks_of_item(connection, original ? original : id)) {
      if (has_ended(task.state)) outputs.push_back(stage_output(connection, task));
    }
    return outputs;
  });
}

Result<StageOutput> SqliteRecords::output(TaskId id) {
  return read([&](Connection& connection) -> Result<StageOutput> {
    const std::optional<Task> task = find_task(connection, id);
    if (!task) return no_such("task", id.value());
    return stage_output(connection, *task);
  });
}

}  // namespace pawl::sqlite
