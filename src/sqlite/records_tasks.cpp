/// Tasks and their outputs, for people. A list has no index of its own on the hot table: it takes
/// the partial index that its filter allows, or walks the ids of its job.

#include <algorithm>

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

// What every list filters by beside its index; a unary plus keeps a column from choosing another.
constexpr char and_fits[] =
    " AND (?1 = 0 OR +job = ?1) AND (?2 IS NULL OR +state = ?2) "
    "AND (?3 IS NULL OR discarded = ?3)";

constexpr auto select_walk =
    joined("SELECT ", task_columns, " FROM tasks WHERE id > ?4 AND id >= ?5 AND id < ?6", and_fits,
           " ORDER BY id LIMIT ?7");
// Ids grow from expansion to expansion, so the order of the index is the order of the ids.
constexpr auto select_children =
    joined("SELECT ", task_columns,
           " FROM tasks WHERE parent IS NOT NULL AND parent = ?4 AND (of_expansion, id) > (?5, ?6)",
           and_fits, " ORDER BY of_expansion, id LIMIT ?7");
constexpr char select_expansion[] = "SELECT of_expansion FROM tasks WHERE id = ?1 AND parent = ?2";
constexpr auto select_of_worker =
    joined("SELECT ", task_columns, " FROM tasks WHERE state = 2 AND worker = ?4 AND id > ?5",
           and_fits, " AND (?6 = 0 OR +parent = ?6) ORDER BY id LIMIT ?7");
constexpr auto select_failed = joined("SELECT ", task_columns,
                                      " FROM tasks WHERE state = 8 AND job = ?1 AND id > ?2 "
                                      "AND (?3 IS NULL OR discarded = ?3) ORDER BY id LIMIT ?4");
constexpr char select_next_failed_job[] =
    "SELECT job FROM tasks WHERE state = 8 AND job > ?1 ORDER BY job LIMIT 1";
constexpr auto select_ready = joined(
    "SELECT ", task_columns, " FROM tasks INDEXED BY tasks_ready WHERE state = 1 AND id > ?4",
    and_fits, " ORDER BY id LIMIT ?5");
constexpr auto select_running = joined(
    "SELECT ", task_columns, " FROM tasks INDEXED BY tasks_running WHERE state = 2 AND id > ?4",
    and_fits, " ORDER BY id LIMIT ?5");
constexpr auto select_scheduled =
    joined("SELECT ", task_columns, " FROM tasks INDEXED BY tasks_due WHERE state = 3 AND id > ?4",
           and_fits, " ORDER BY id LIMIT ?5");
constexpr auto select_reviewed_ids = joined(
    "SELECT task FROM reviews INDEXED BY reviews_pending WHERE status < 3 AND task > ?1 "
    "AND (?2 = 0 OR job = ?2) ORDER BY task LIMIT ?3");

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

std::vector<Task> children(Connection& connection, const TaskFilter& filter) {
  std::int64_t expansion = 0;
  if (filter.after) {
    Cursor row = connection.prepared(select_expansion).query(filter.after, filter.parent);
    if (row.next()) expansion = row.integer(0);
  }
  return tasks_from(connection.prepared(select_children)
                        .query(filter.job, filter.state, filter.discarded, filter.parent, expansion,
                               filter.after, filter.limit));
}

/// Without a job: the index is ordered by job, so each job's page is read and the pages are merged.
std::vector<Task> failed(Connection& connection, const TaskFilter& filter) {
  const auto of_job = [&](JobId job) {
    return tasks_from(connection.prepared(select_failed)
                          .query(job, filter.after, filter.discarded, filter.limit));
  };
  if (filter.job) return of_job(filter.job);
  std::vector<JobId> jobs;
  for (JobId job;;) {
    Cursor row = connection.prepared(select_next_failed_job).query(job);
    if (!row.next()) break;
    job = row.as<JobId>(0);
    jobs.push_back(job);
  }
  std::vector<Task> page;
  for (const JobId job : jobs) {
    for (Task& task : of_job(job)) page.push_back(std::move(task));
    std::ranges::sort(page, {}, &Task::id);
    if (page.size() > filter.limit) page.erase(page.begin() + filter.limit, page.end());
  }
  return page;
}

std::vector<Task> reviewed(Connection& connection, const TaskFilter& filter) {
  std::vector<Task> tasks;
  // A pending review whose task has moved on does not shorten the page.
  for (TaskId after = filter.after; tasks.size() < filter.limit;) {
    Cursor row = connection.prepared(select_reviewed_ids).query(after, filter.job, filter.limit);
    bool found_some = false;
    while (tasks.size() < filter.limit && row.next()) {
      found_some = true;
      after = row.as<TaskId>(0);
      std::optional<Task> task = find_task(connection, after);
      if (task && task->kind() == StateKind::awaiting_review) tasks.push_back(*std::move(task));
    }
    if (!found_some) break;
  }
  return tasks;
}

std::vector<Task> walk(Connection& connection, const TaskFilter& filter) {
  const OrdinalRange range = ordinals_of(connection, filter.job);
  return tasks_from(connection.prepared(select_walk)
                        .query(filter.job, filter.state, filter.discarded, filter.after,
                               task_id(range.first, StageIndex{}),
                               task_id(range.last + 1, StageIndex{}), filter.limit));
}

std::vector<Task> list_tasks(Connection& connection, const TaskFilter& filter) {
  const auto by_index = [&](const char* sql) {
    return tasks_from(connection.prepared(sql).query(filter.job, filter.state, filter.discarded,
                                                     filter.after, filter.limit));
  };
  if (filter.worker) {
    return tasks_from(connection.prepared(select_of_worker)
                          .query(filter.job, filter.state, filter.discarded, filter.worker,
                                 filter.after, filter.parent, filter.limit));
  }
  if (filter.parent) return children(connection, filter);
  if (filter.discarded && filter.state.value_or(StateKind::failed) != StateKind::failed) return {};
  if (filter.discarded) return failed(connection, filter);
  if (!filter.state) return walk(connection, filter);
  switch (*filter.state) {
    case StateKind::ready:
      return by_index(select_ready);
    case StateKind::running:
      return by_index(select_running);
    case StateKind::retry_scheduled:
      return by_index(select_scheduled);
    case StateKind::awaiting_review:
      return reviewed(connection, filter);
    case StateKind::failed:
      return failed(connection, filter);
    case StateKind::waiting:
    case StateKind::expanded:
    case StateKind::succeeded:
    case StateKind::skipped:
    case StateKind::cancelled:
      return walk(connection, filter);
  }
  return {};
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

Result<std::vector<Task>> SqliteRecords::tasks(const TaskFilter& filter) {
  return read([&](Connection& connection) -> Result<std::vector<Task>> {
    return list_tasks(connection, filter);
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
