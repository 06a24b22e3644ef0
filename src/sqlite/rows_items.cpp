/// Items, and the deletion of an item with everything that belongs to it.

#include "sqlite/faults.hpp"
#include "sqlite/row_writes.hpp"
#include "sqlite/sqlite_rows.hpp"

namespace pawl::sqlite {

namespace {

constexpr char select_pass[] = "SELECT pass FROM items WHERE job = ?1 AND key = ?2";
constexpr char update_pass[] = "UPDATE items SET pass = ?3 WHERE job = ?1 AND key = ?2";

constexpr char select_progress[] =
    "SELECT job, state, cancelled, sinks_left, failed_tasks, adopted_from <> 0 FROM items "
    "WHERE id = ?1";
constexpr char update_progress[] =
    "UPDATE items SET state = ?2, cancelled = ?3, sinks_left = ?4, failed_tasks = ?5 "
    "WHERE id = ?1";
constexpr char select_brief[] = "SELECT key, category, data FROM items WHERE id = ?1";

constexpr char select_adoptable_jobs[] =
    "SELECT id, trust FROM jobs WHERE workflow_hash = ?1 AND params = ?2 AND id < ?3 "
    "ORDER BY id DESC";
constexpr char select_finished[] =
    "SELECT CASE adopted_from WHEN 0 THEN id ELSE adopted_from END, state FROM items "
    "WHERE job = ?1 AND key = ?2 AND state IN (2, 5) AND data_sha256 = ?3";

constexpr char select_own_tasks[] = "SELECT id FROM tasks WHERE id >= ?1 AND id < ?2";
constexpr char select_child_ids[] = "SELECT id FROM tasks WHERE parent IS NOT NULL AND parent = ?1";
constexpr char delete_attempts[] = "DELETE FROM attempts WHERE task = ?1";
constexpr char note_last_review[] =
    "INSERT INTO counters (name, value) SELECT 'review', coalesce(max(id), 0) FROM reviews "
    "WHERE true ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)";
constexpr char delete_answers[] =
    "DELETE FROM review_answers WHERE review IN (SELECT id FROM reviews WHERE task = ?1)";
constexpr char delete_queued[] =
    "DELETE FROM review_queue WHERE review IN (SELECT id FROM reviews WHERE task = ?1)";
constexpr char delete_reviews[] = "DELETE FROM reviews WHERE task = ?1";
constexpr char delete_task_row[] = "DELETE FROM tasks WHERE id = ?1";
constexpr char delete_attempts_between[] = "DELETE FROM attempts WHERE task >= ?1 AND task < ?2";
constexpr char delete_answers_between[] =
    "DELETE FROM review_answers WHERE review IN "
    "(SELECT id FROM reviews WHERE task >= ?1 AND task < ?2)";
constexpr char delete_queued_between[] =
    "DELETE FROM review_queue WHERE review IN "
    "(SELECT id FROM reviews WHERE task >= ?1 AND task < ?2)";
constexpr char delete_reviews_between[] = "DELETE FROM reviews WHERE task >= ?1 AND task < ?2";
constexpr char delete_tasks_between[] = "DELETE FROM tasks WHERE id >= ?1 AND id < ?2";
constexpr char delete_items_between[] = "DELETE FROM items WHERE id >= ?1 AND id <= ?2";
constexpr char delete_item_row[] = "DELETE FROM items WHERE id = ?1";

std::vector<TaskId> ids_from(Cursor row) {
  std::vector<TaskId> ids;
  while (row.next()) ids.push_back(row.as<TaskId>(0));
  return ids;
}

}  // namespace

void SqliteRows::insert_item(const Item& item, std::uint32_t pass) {
  insert_item_row(connection_, item, pass);
  note_ordinal(item.job, item.id.value());
}

std::optional<std::uint32_t> SqliteRows::seen_in_pass(JobId job, std::string_view key) {
  Cursor row = connection_.prepared(select_pass).query(job, key);
  if (!row.next()) return std::nullopt;
  return row.as<std::uint32_t>(0);
}

void SqliteRows::mark_seen(JobId job, std::string_view key, std::uint32_t pass) {
  connection_.prepared(update_pass).run(job, key, pass);
}

std::uint32_t SqliteRows::submission_pass(JobId id) {
  const CachedJob* job = find_job(id);
  return job == nullptr ? 0 : job->row.pass;
}

void SqliteRows::set_submission_pass(JobId id, std::uint32_t pass) {
  CachedJob* job = find_job(id);
  require(job != nullptr, "a pass belongs to a job that exists");
  job->row.pass = pass;
  write_later(*job);
}

std::optional<store::ItemProgress> SqliteRows::progress(ItemId item) {
  Cursor row = connection_.prepared(select_progress).query(item);
  if (!row.next()) return std::nullopt;
  Columns columns(row);
  store::ItemProgress progress;
  columns.into(progress.job);
  columns.into(progress.state);
  columns.into(progress.cancelled);
  columns.into(progress.sinks_left);
  columns.into(progress.failed_tasks);
  columns.into(progress.adopted);
  return progress;
}

void SqliteRows::put_progress(ItemId item, const store::ItemProgress& progress) {
  connection_.prepared(update_progress)
      .run(item, progress.state, progress.cancelled, progress.sinks_left, progress.failed_tasks);
}

store::ItemBrief SqliteRows::brief(ItemId item) {
  Cursor row = connection_.prepared(select_brief).query(item);
  if (!row.next()) {
    throw Fault(ErrorCode::corrupt, "item " + std::to_string(item.value()) + " is missing");
  }
  return {.key = row.text(0), .category = row.text(1), .data = row.json(2)};
}

std::optional<store::FinishedItem> SqliteRows::finished_before(const Job& job, std::string_view key,
                                                               std::string_view sha256) {
  if (adopting_ != job.id) {
    adopting_ = job.id;
    adoptable_.clear();
    Cursor row = connection_.prepared(select_adoptable_jobs)
                     .query(job.workflow_hash, job.params.text(), job.id);
    while (row.next()) {
      if (is_trusted(row.as<Trust>(1))) adoptable_.push_back(row.as<JobId>(0));
    }
  }
  for (const JobId earlier : adoptable_) {
    Cursor row = connection_.prepared(select_finished).query(earlier, key, sha256);
    if (row.next()) {
      return store::FinishedItem{.id = row.as<ItemId>(0), .state = row.as<ItemState>(1)};
    }
  }
  return std::nullopt;
}

void SqliteRows::delete_task(TaskId task) {
  for (const TaskId child : ids_from(connection_.prepared(select_child_ids).query(task))) {
    delete_task(child);
  }
  for (const char* statement :
       {delete_attempts, delete_answers, delete_queued, delete_reviews, delete_task_row}) {
    connection_.prepared(statement).run(task);
  }
}

void SqliteRows::delete_ordinals(std::int64_t first, std::int64_t last) {
  connection_.prepared(note_last_review).run();
  const TaskId begin = task_id(first, StageIndex{});
  const TaskId end = task_id(last + 1, StageIndex{});
  for (const char* statement :
       {delete_attempts_between, delete_answers_between, delete_queued_between,
        delete_reviews_between, delete_tasks_between}) {
    connection_.prepared(statement).run(begin, end);
  }
  connection_.prepared(delete_items_between).run(first, last);
}

void SqliteRows::delete_item(ItemId item) {
  connection_.prepared(note_last_review).run();
  const TaskId first = task_id(item, StageIndex{});
  const TaskId end = task_id(item.value() + 1, StageIndex{});
  for (const TaskId task : ids_from(connection_.prepared(select_own_tasks).query(first, end))) {
    delete_task(task);
  }
  connection_.prepared(delete_item_row).run(item);
}

}  // namespace pawl::sqlite
