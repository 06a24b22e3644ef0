/// Lists of tasks. The hot table has an index only for states that are searched for: a list uses
/// the partial index that its filter allows, or scans the ids of its job in short reads. The
/// number of the stage is a part of the id: of the tasks of other stages only the id is read.

#include <algorithm>

#include "sql/looking.hpp"
#include "sql/merged_ids.hpp"
#include "sql/reading.hpp"
#include "sql/sql_text.hpp"
#include "sql/task_codec.hpp"
#include "store/fitting.hpp"

namespace pawl::sql {

namespace {

constexpr auto select_task = joined("SELECT ", task_columns, " FROM tasks WHERE id = ?1");
constexpr auto select_walk =
    joined("SELECT ", task_columns, " FROM tasks WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?3");
// Ids grow from expansion to expansion, so the order of the index is the order of the ids. SQLite
// does not look up a pair (of_expansion, id) in an index, so a page takes two statements: the rest
// of the expansion of the cursor, and the later ones.
constexpr auto select_rest_of_expansion =
    joined("SELECT ", task_columns,
           " FROM tasks WHERE parent IS NOT NULL AND parent = ?1 AND of_expansion = ?2 AND id > ?3 "
           "ORDER BY of_expansion, id LIMIT ?4");
constexpr auto select_later_expansions =
    joined("SELECT ", task_columns,
           " FROM tasks WHERE parent IS NOT NULL AND parent = ?1 AND of_expansion > ?2 "
           "ORDER BY of_expansion, id LIMIT ?3");
constexpr char select_expansion[] = "SELECT of_expansion FROM tasks WHERE id = ?1 AND parent = ?2";

/// The last of the next rows, if there are more than `?3`.
constexpr char select_end_of_look[] =
    "SELECT id FROM tasks WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT 1 OFFSET ?3";
constexpr auto select_of_stage =
    joined("SELECT ", task_columns,
           " FROM tasks WHERE id > ?1 AND id <= ?2 AND (id & 65535) = ?3 "
           "AND (job = ?4 OR ?4 = 0) AND (state = ?5 OR ?5 < 0) ORDER BY id LIMIT ?6");

constexpr char select_next_worker[] =
    "SELECT worker FROM tasks WHERE state = 2 AND worker > ?1 ORDER BY worker LIMIT 1";
constexpr char select_running_ids[] =
    "SELECT id FROM tasks WHERE state = 2 AND worker = ?1 AND id > ?2 ORDER BY id LIMIT ?3";

constexpr char select_failed_ids[] =
    "SELECT id FROM tasks WHERE state = 8 AND job = ?1 AND discarded = ?2 AND id > ?3 "
    "ORDER BY id LIMIT ?4";
constexpr char select_failed_ids_anywhere[] =
    "SELECT id FROM tasks INDEXED BY tasks_failed_anywhere WHERE state = 8 AND discarded = ?1 "
    "AND id > ?2 ORDER BY id LIMIT ?3";

constexpr char select_reviewed_ids[] =
    "SELECT task FROM reviews INDEXED BY reviews_pending WHERE status < 3 AND task > ?1 "
    "AND task < ?2 ORDER BY task LIMIT ?3";

constexpr auto select_some_ready =
    joined("SELECT ", task_columns, " FROM tasks INDEXED BY tasks_ready WHERE state = 1 LIMIT ?1");
constexpr auto select_some_scheduled =
    joined("SELECT ", task_columns, " FROM tasks INDEXED BY tasks_due WHERE state = 3 LIMIT ?1");

using Ids = std::vector<std::int64_t>;

Ids ids_from(Cursor row) {
  Ids ids;
  while (row.next()) ids.push_back(row.integer(0));
  return ids;
}

std::vector<Task> tasks_from(Cursor row) {
  std::vector<Task> tasks;
  while (row.next()) tasks.push_back(task_of(row));
  return tasks;
}

std::vector<Task> tasks_with(Session& session, const Ids& ids) {
  std::vector<Task> tasks;
  for (const std::int64_t id : ids) {
    Cursor row = session.prepared(select_task).query(id);
    if (row.next()) tasks.push_back(task_of(row));
  }
  return tasks;
}

/// The rest of a job's ids after the cursor. An index takes only one lower bound.
struct TaskRange {
  TaskId after;
  TaskId end;
};

TaskRange range_of(Session& session, JobId job, TaskId after) {
  const OrdinalRange ordinals = ordinals_of(session, job);
  const TaskId first = task_id(ordinals.first, StageIndex{});
  return {std::max(after, TaskId{first.value() - 1}), task_id(ordinals.last + 1, StageIndex{})};
}

std::vector<Task> children(Session& session, TaskId parent, TaskId after, std::uint32_t max) {
  std::int64_t expansion = 0;
  if (after) {
    Cursor row = session.prepared(select_expansion).query(after, parent);
    if (row.next()) expansion = row.integer(0);
  }
  std::vector<Task> found =
      tasks_from(session.prepared(select_rest_of_expansion).query(parent, expansion, after, max));
  if (found.size() < max) {
    std::ranges::move(
        tasks_from(
            session.prepared(select_later_expansions).query(parent, expansion, max - found.size())),
        std::back_inserter(found));
  }
  return found;
}

/// The index has one list for each worker that holds tasks.
std::vector<Task> running(Session& session, WorkerId worker, TaskId after, std::uint32_t max) {
  Ids workers;
  if (worker) {
    workers.push_back(worker.value());
  } else {
    for (std::int64_t last = 0;; last = workers.back()) {
      Cursor row = session.prepared(select_next_worker).query(last);
      if (!row.next()) break;
      workers.push_back(row.integer(0));
    }
  }
  const auto next = [&](std::size_t list, std::int64_t from, std::size_t count) {
    return ids_from(session.prepared(select_running_ids).query(workers[list], from, count));
  };
  return tasks_with(session, merged_ids(workers.size(), after.value(), max, next));
}

/// Merges two lists: dead letters that were dealt with and those that were not.
std::vector<Task> failed(Session& session, const TaskFilter& filter, TaskId after,
                         std::uint32_t max) {
  std::vector<bool> lists{false, true};
  if (filter.discarded) lists = {*filter.discarded};
  const auto next = [&](std::size_t list, std::int64_t from, std::size_t count) {
    const bool is_discarded = lists[list];
    return filter.job
               ? ids_from(session.prepared(select_failed_ids)
                              .query(filter.job, is_discarded, from, count))
               : ids_from(
                     session.prepared(select_failed_ids_anywhere).query(is_discarded, from, count));
  };
  return tasks_with(session, merged_ids(lists.size(), after.value(), max, next));
}

std::vector<Task> walk(Session& session, JobId job, TaskId after, std::uint32_t max) {
  const TaskRange range = range_of(session, job, after);
  return tasks_from(session.prepared(select_walk).query(range.after, range.end, max));
}

/// All of them, if one read can hold them: their index is not in the order of the ids.
std::optional<std::vector<Task>> all_if_few(Session& session, const char* sql) {
  std::vector<Task> tasks = tasks_from(session.prepared(sql).query(rows_per_look + 1));
  if (tasks.size() > rows_per_look) return std::nullopt;
  std::ranges::sort(tasks, {}, &Task::id);
  return tasks;
}

}  // namespace

/// A pending review may belong to a task in another state, so the cursor is the task of the review.
Result<std::vector<Task>> SqlRecords::reviewed_tasks(const TaskFilter& filter) {
  std::vector<Task> page;
  TaskId after = filter.after;
  std::uint32_t max = std::min(filter.limit, rows_per_look);
  for (; page.size() < filter.limit; max = std::min(2 * max, rows_per_look)) {
    const std::size_t size_before = page.size();
    const TaskId from = after;
    const Result<std::size_t> seen = read([&](Session& session) -> Result<std::size_t> {
      page.resize(size_before);
      const TaskRange range = range_of(session, filter.job, from);
      const Ids ids =
          ids_from(session.prepared(select_reviewed_ids).query(range.after, range.end, max));
      for (Task& task : tasks_with(session, ids)) {
        if (page.size() < filter.limit && store::fits(task, filter))
          page.push_back(std::move(task));
      }
      if (!ids.empty()) after = TaskId{ids.back()};
      return ids.size();
    });
    if (!seen) return std::unexpected(seen.error());
    if (*seen < max) break;
  }
  return page;
}

/// Each read covers the next thousand tasks of all stages.
Result<std::vector<Task>> SqlRecords::tasks_of_stage(const TaskFilter& filter) {
  std::vector<Task> page;
  const std::int64_t state = filter.state ? static_cast<std::int64_t>(*filter.state) : -1;
  TaskId after = filter.after;
  for (bool is_end = false; !is_end && page.size() < filter.limit;) {
    const std::size_t size_before = page.size();
    const TaskId from = after;
    const Result<bool> seen = read([&](Session& session) -> Result<bool> {
      page.resize(size_before);
      const TaskRange range = range_of(session, filter.job, from);
      std::optional<TaskId> last;
      {
        Cursor row =
            session.prepared(select_end_of_look).query(range.after, range.end, rows_per_look - 1);
        if (row.next()) last = row.as<TaskId>(0);
      }
      after = last.value_or(range.end);
      Cursor row = session.prepared(select_of_stage)
                       .query(range.after, after, filter.stage, filter.job, state,
                              filter.limit - size_before);
      while (row.next()) page.push_back(task_of(row));
      return !last;
    });
    if (!seen) return std::unexpected(seen.error());
    is_end = *seen;
  }
  return page;
}

Result<std::vector<Task>> SqlRecords::tasks(const TaskFilter& filter) {
  return of_known_stages(listed_tasks(filter));
}

Result<std::vector<Task>> SqlRecords::listed_tasks(const TaskFilter& filter) {
  const auto page_by = [&](auto rows) {
    const auto look = [&](TaskId after, std::uint32_t max) {
      return read(
          [&](Session& session) -> Result<std::vector<Task>> { return rows(session, after, max); });
    };
    return page_of(filter.after, filter.limit, look,
                   [&](const Task& task) { return store::fits(task, filter); });
  };
  const auto walked = [&]() -> Result<std::vector<Task>> {
    if (filter.stage) return tasks_of_stage(filter);
    return page_by([&](Session& session, TaskId after, std::uint32_t max) {
      return walk(session, filter.job, after, max);
    });
  };
  const auto few_or_walked = [&](const char* sql) -> Result<std::vector<Task>> {
    auto few = read([&](Session& session) -> Result<std::optional<std::vector<Task>>> {
      return all_if_few(session, sql);
    });
    if (!few) return std::unexpected(few.error());
    if (!*few) return walked();
    std::erase_if(**few, [&](const Task& task) {
      return task.id <= filter.after || !store::fits(task, filter);
    });
    if ((**few).size() > filter.limit) (**few).resize(filter.limit);
    return std::move(**few);
  };

  if (filter.discarded && filter.state.value_or(StateKind::failed) != StateKind::failed) {
    return std::vector<Task>();
  }
  const auto state = filter.discarded ? std::optional(StateKind::failed) : filter.state;
  if (filter.worker || (state == StateKind::running && !filter.parent)) {
    return page_by([&](Session& session, TaskId after, std::uint32_t max) {
      return running(session, filter.worker, after, max);
    });
  }
  if (filter.parent) {
    return page_by([&](Session& session, TaskId after, std::uint32_t max) {
      return children(session, filter.parent, after, max);
    });
  }
  if (!state) return walked();
  switch (*state) {
    case StateKind::failed:
      return page_by([&](Session& session, TaskId after, std::uint32_t max) {
        return failed(session, filter, after, max);
      });
    case StateKind::awaiting_review:
      return reviewed_tasks(filter);
    case StateKind::ready:
      return few_or_walked(select_some_ready);
    case StateKind::retry_scheduled:
      return few_or_walked(select_some_scheduled);
    case StateKind::running:
    case StateKind::waiting:
    case StateKind::expanded:
    case StateKind::succeeded:
    case StateKind::skipped:
    case StateKind::cancelled:
      return walked();
  }
  return walked();
}

Result<Tally> SqlRecords::count(const TaskFilter& given) {
  TaskFilter filter = given;
  filter.after = {};
  filter.limit = tally_max + 1;
  return tally_of(listed_tasks(filter));
}

}  // namespace pawl::sql
