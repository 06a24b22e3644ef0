/// Tasks and attempts: the hot path.

#include <algorithm>

#include "sql/attempt_codec.hpp"
#include "sql/sql_text.hpp"
#include "sql/stored.hpp"
#include "sql/task_codec.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/row_writes.hpp"
#include "sqlite/sqlite_rows.hpp"

namespace pawl::sqlite {

namespace {

using sql::joined;
using sql::task_columns;

constexpr auto select_task = joined("SELECT ", task_columns, " FROM tasks WHERE id = ?1");
constexpr auto select_tasks_between =
    joined("SELECT ", task_columns, " FROM tasks WHERE id >= ?1 AND id < ?2 ORDER BY id");
constexpr auto select_children =
    joined("SELECT ", task_columns,
           " FROM tasks WHERE parent IS NOT NULL AND parent = ?1 AND of_expansion = ?2 "
           "ORDER BY id");
// The tasks of an item are neighbours: see ids.hpp. An operator asks this for an ended job.
constexpr char select_cancelled[] =
    "SELECT task.id FROM items CROSS JOIN tasks AS task "
    "ON task.id >= items.id << 16 AND task.id < (items.id + 1) << 16 "
    "WHERE items.job = ?1 AND items.state IN (1, 4) AND task.state = 9";
constexpr char select_cancelled_children[] =
    "SELECT child.id FROM items CROSS JOIN tasks AS task "
    "ON task.id >= items.id << 16 AND task.id < (items.id + 1) << 16 "
    "CROSS JOIN tasks AS child ON child.parent IS NOT NULL AND child.parent = task.id "
    "AND child.of_expansion = task.expansion "
    "WHERE items.job = ?1 AND items.state = 1 AND task.state = 5 AND child.state = 9";
constexpr auto select_ready = joined(
    "SELECT ", task_columns, " FROM tasks WHERE state = 1 AND lane = ?1 ORDER BY age, id LIMIT ?2");
constexpr char select_ready_ids[] =
    "SELECT age, id FROM tasks WHERE state = 1 AND lane = ?1 ORDER BY age, id LIMIT ?2";
constexpr auto select_due_retries =
    joined("SELECT ", task_columns,
           " FROM tasks WHERE state = 3 AND next_run_at <= ?1 ORDER BY next_run_at, id LIMIT ?2");
constexpr auto select_running = joined(
    "SELECT ", task_columns, " FROM tasks WHERE state = 2 AND worker = ?1 ORDER BY id LIMIT ?2");

}  // namespace

template <class... Values>
std::vector<Task> SqliteRows::select_tasks(const char* sql, const Values&... values) {
  std::vector<Task> tasks;
  for (Cursor row = connection_.prepared(sql).query(values...); row.next();) {
    tasks.push_back(sql::task_of(row));
  }
  for (const Task& task : tasks) check_stage(task);
  return tasks;
}

/// The ledger looks up the stage of every task in its workflow.
void SqliteRows::check_stage(const Task& task) {
  const CachedJob* its = find_job(task.job);
  if (its == nullptr) return;
  if (std::optional<Error> damaged = sql::beyond_stages(task, its->row.job.stages.size())) {
    throw Fault(*std::move(damaged));
  }
}

std::optional<Task> SqliteRows::task(TaskId id) {
  Cursor row = connection_.prepared(select_task).query(id);
  if (!row.next()) return std::nullopt;
  Task task = sql::task_of(row);
  check_stage(task);
  return task;
}

bool SqliteRows::replace_task(const Task& next, Version expected) {
  return update_task_row(connection_, next, expected);
}

bool SqliteRows::insert_task(const Task& fresh) {
  if (!insert_task_row(connection_, fresh)) return false;
  note_ordinal(fresh.job, ordinal_of(fresh.id));
  return true;
}

std::vector<Task> SqliteRows::tasks_of(ItemId item) { return tasks_of_ordinal(item.value()); }

std::vector<Task> SqliteRows::tasks_of_ordinal(std::int64_t ordinal) {
  return select_tasks(select_tasks_between, task_id(ordinal, StageIndex{}),
                      task_id(ordinal + 1, StageIndex{}));
}

std::vector<Task> SqliteRows::children_of(TaskId parent, std::uint32_t expansion) {
  return select_tasks(select_children, parent, expansion);
}

std::vector<TaskId> SqliteRows::cancelled_tasks(JobId job) {
  std::vector<TaskId> found;
  for (const char* const sql : {select_cancelled, select_cancelled_children}) {
    for (Cursor row = connection_.prepared(sql).query(job); row.next();) {
      found.push_back(row.as<TaskId>(0));
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<Task> SqliteRows::ready_tasks(std::span<const LaneId> lanes, std::uint32_t max) {
  if (lanes.size() == 1) return select_tasks(select_ready, lanes.front(), max);
  // The heads of several lanes are merged from the index alone; only the selected rows are read.
  std::vector<std::pair<std::int64_t, TaskId>> oldest;
  for (const LaneId lane : lanes) {
    Cursor row = connection_.prepared(select_ready_ids).query(lane, max);
    while (row.next()) oldest.emplace_back(row.integer(0), row.as<TaskId>(1));
  }
  std::ranges::sort(oldest);
  if (oldest.size() > max) oldest.resize(max);
  std::vector<Task> tasks;
  tasks.reserve(oldest.size());
  for (const auto& [age, id] : oldest) tasks.push_back(*task(id));
  return tasks;
}

std::vector<Task> SqliteRows::due_retries(Timestamp now, std::uint32_t max) {
  return select_tasks(select_due_retries, now, max);
}

std::vector<Task> SqliteRows::running_of(WorkerId worker, std::uint32_t max) {
  return select_tasks(select_running, worker, max);
}

void SqliteRows::insert_attempt(const Attempt& attempt) {
  insert_attempt_row(connection_, attempt);
}

std::vector<Attempt> SqliteRows::attempts(TaskId task) {
  return sql::attempts_of(connection_, task);
}

}  // namespace pawl::sqlite
