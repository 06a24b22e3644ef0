/// Tasks and attempts: the hot path.

#include <algorithm>

#include "postgres/faults.hpp"
#include "postgres/postgres_rows.hpp"
#include "postgres/read_locked.hpp"
#include "sql/attempt_codec.hpp"
#include "sql/sql_text.hpp"
#include "sql/task_codec.hpp"

namespace pawl::postgres {

namespace {

using sql::joined;
using sql::task_columns;

constexpr char select_versions[] = "SELECT id, version FROM tasks WHERE id = ANY($1)";
constexpr auto select_tasks_by_id =
    joined("SELECT ", task_columns, " FROM tasks WHERE id = ANY($1) ORDER BY id");
constexpr auto select_tasks_between =
    joined("SELECT ", task_columns, " FROM tasks WHERE id >= $1 AND id < $2 ORDER BY id");
constexpr auto select_children = joined(
    "SELECT ", task_columns, " FROM tasks WHERE parent = $1 AND of_expansion = $2 ORDER BY id");
// The tasks of an item are neighbours: see ids.hpp. An operator asks this for an ended job.
constexpr char select_cancelled[] =
    "SELECT task.id FROM items JOIN tasks AS task "
    "ON task.id >= items.id << 16 AND task.id < (items.id + 1) << 16 "
    "WHERE items.job = $1 AND items.state IN (1, 4) AND task.state = 9 "
    "UNION ALL "
    "SELECT child.id FROM items JOIN tasks AS task "
    "ON task.id >= items.id << 16 AND task.id < (items.id + 1) << 16 "
    "JOIN tasks AS child ON child.parent = task.id AND child.of_expansion = task.expansion "
    "WHERE items.job = $1 AND items.state = 1 AND task.state = 5 AND child.state = 9 ORDER BY 1";
constexpr auto select_due_retries =
    joined("SELECT ", task_columns,
           " FROM tasks WHERE state = 3 AND next_run_at <= $1 ORDER BY next_run_at, id LIMIT $2");
constexpr auto select_running = joined(
    "SELECT ", task_columns, " FROM tasks WHERE state = 2 AND worker = $1 ORDER BY id LIMIT $2");

/// The oldest tasks of several lanes, with the item data that their code needs. Each lane is an
/// ordered list in the index. Rows that another transaction has locked are skipped. The outer
/// statement names only the ids: if it also named the state, the planner might search the index of
/// all Ready tasks, and a claim would get slower the more tasks wait.
constexpr auto select_ready = joined(
    "SELECT t.*, i.key, i.category, i.data FROM (SELECT ", task_columns,
    ", age FROM tasks WHERE id = ANY(ARRAY(SELECT head.id FROM unnest($1::bigint[]) AS l (lane), "
    "LATERAL (SELECT age, id FROM tasks WHERE state = 1 AND lane = l.lane "
    "ORDER BY age, id LIMIT $2) AS head ORDER BY head.age, head.id LIMIT $2)) "
    "FOR UPDATE SKIP LOCKED) AS t "
    "LEFT JOIN items i ON i.id = t.item ORDER BY t.age, t.id");
constexpr int brief_at = 33;  ///< after the columns of the task and its age

}  // namespace

void PostgresRows::remember(const Task& row) {
  // The ledger looks up the stage of every task in its workflow.
  if (const auto its = jobs_.find(row.job); its != jobs_.end() && its->second) {
    if (auto damaged = sql::beyond_stages(row, its->second->row.job.stages.size())) {
      throw Fault(*std::move(damaged));
    }
  }
  tasks_.insert_or_assign(row.id,
                          TaskEntry{.row = row, .version = row.version, .stored = row.version});
}

/// Prefetches what the ledger needs for a batch: the worker that commits, the jobs and their pools,
/// the version that fences each step, the rows of the tasks that it releases, and the progress of
/// items that may settle. Each statement sees what was committed before its own locks were granted,
/// so one round trip is enough for all of them.
void PostgresRows::expect_batch(const store::StepBatch& batch) {
  const std::span<const Step> steps = batch.steps;
  const WorkerId worker = batch.worker;
  std::set<JobId> jobs;
  std::vector<std::int64_t> own;
  std::vector<std::int64_t> released;
  std::vector<std::int64_t> items;
  for (const LaneShare& share : batch.refill->shares) jobs.insert(share.job);
  for (const Step& step : steps) jobs.insert(step.next.job);
  learn({jobs.begin(), jobs.end()});
  for (const Step& step : steps) {
    const Task& next = step.next;
    own.push_back(next.id.value());
    const Workflow* its = workflow_of(next.job);
    if (its == nullptr || !has_ended(next.state)) continue;
    if (next.child) {
      released.push_back(next.child->parent.value());
      continue;
    }
    const StagePlan& plan = its->plan(next.stage());
    for (const StageIndex dependent : plan.dependents) {
      released.push_back(task_id(ordinal_of(next.id), dependent).value());
    }
    if (next.item && (plan.is_sink || step.flow != Flow::satisfied)) {
      items.push_back(next.item.value());
    }
  }
  if (!is_repeated_) send_attempts_early(steps);
  want_worker(worker);
  want_jobs({jobs.begin(), jobs.end()});
  connection_.want(select_versions, Parameters().add_numbers(own));
  connection_.want(select_tasks_by_id, Parameters().add_numbers(released));
  connection_.want(select_progress, Parameters().add_numbers(items));
  connection_.want(select_server_time);
  std::vector<Reply> answers = connection_.answers();
  server_time_ = Timestamp{Duration{answers.back().integer(0, 0)}};
  take_worker(worker, std::move(answers[0]));
  take_jobs({jobs.begin(), jobs.end()}, std::move(answers[1]), std::move(answers[2]));
  for (const std::int64_t id : own) tasks_.try_emplace(TaskId{id});
  for (int i = 0; i < answers[3].rows(); ++i) {
    TaskEntry& entry = tasks_.at(TaskId{answers[3].integer(i, 0)});
    entry.version = static_cast<Version>(answers[3].integer(i, 1));
    entry.stored = entry.version;
  }
  for (const std::int64_t id : released) tasks_.try_emplace(TaskId{id});
  take_tasks(std::move(answers[4]));
  take_progress(std::move(answers[5]));
}

std::vector<Task> PostgresRows::take_tasks(Reply reply) {
  std::vector<Task> tasks;
  ReplyRows rows(std::move(reply));
  for (sql::Cursor row(rows); row.next();) tasks.push_back(sql::task_of(row));
  for (const Task& task : tasks) {
    if (jobs_.contains(task.job)) remember(task);
  }
  return tasks;
}

std::vector<Task> PostgresRows::select_tasks(const char* sql, const Parameters& parameters) {
  return take_tasks(connection_.ask(sql, parameters));
}

/// Reads a row that is not cached, with its job locked.
PostgresRows::TaskEntry& PostgresRows::entry_of(TaskId id) {
  if (const auto known = tasks_.find(id); known != tasks_.end()) {
    const bool is_whole = known->second.row || known->second.version == 0;
    if (is_whole) return known->second;
  }
  const std::int64_t number = id.value();
  const std::vector<Task> found = read_locked([&] {
    return select_tasks(select_tasks_by_id, Parameters().add_numbers(std::span(&number, 1)));
  });
  if (found.empty()) return tasks_[id] = TaskEntry{};
  return tasks_.at(id);
}

std::optional<Task> PostgresRows::task(TaskId id) { return entry_of(id).row; }

void PostgresRows::touch(TaskId id, TaskEntry& entry) {
  has_news_ = true;
  if (!std::exchange(entry.is_changed, true)) changed_tasks_.push_back(id);
}

bool PostgresRows::replace_task(const Task& next, Version expected) {
  const auto known = tasks_.find(next.id);
  TaskEntry& entry = known != tasks_.end() ? known->second : entry_of(next.id);
  if (entry.version != expected || expected == 0) return false;
  entry.row = next;
  entry.version = next.version;
  touch(next.id, entry);
  return true;
}

bool PostgresRows::insert_task(const Task& fresh) {
  const auto known = tasks_.find(fresh.id);
  // An ordinal that was drawn in this transaction has only its own rows.
  const bool is_new = first_drawn_ != 0 && ordinal_of(fresh.id) >= first_drawn_;
  TaskEntry& entry = known != tasks_.end() ? known->second
                     : is_new              ? tasks_[fresh.id]
                                           : entry_of(fresh.id);
  if (entry.version != 0) return false;
  entry.row = fresh;
  entry.version = fresh.version;
  touch(fresh.id, entry);
  note_ordinal(fresh.job, ordinal_of(fresh.id));
  return true;
}

std::vector<Task> PostgresRows::tasks_of(ItemId item) { return tasks_of_ordinal(item.value()); }

std::vector<Task> PostgresRows::tasks_of_ordinal(std::int64_t ordinal) {
  send();
  return read_locked([&] {
    return select_tasks(select_tasks_between, Parameters::of(task_id(ordinal, StageIndex{}),
                                                             task_id(ordinal + 1, StageIndex{})));
  });
}

std::vector<Task> PostgresRows::children_of(TaskId parent, std::uint32_t expansion) {
  send();
  return read_locked(
      [&] { return select_tasks(select_children, Parameters::of(parent, expansion)); });
}

/// REQUIRES: the ledger has locked the job.
std::vector<TaskId> PostgresRows::cancelled_tasks(JobId job) {
  send();
  std::vector<TaskId> found;
  const Reply reply = connection_.ask(select_cancelled, Parameters::of(job));
  for (int i = 0; i < reply.rows(); ++i) found.push_back(TaskId{reply.integer(i, 0)});
  return found;
}

/// REQUIRES: the ledger has locked the job of the lanes, because it has checked whether the job may
/// open attempts.
std::vector<Task> PostgresRows::ready_tasks(std::span<const LaneId> lanes, std::uint32_t max) {
  send();
  ArrayColumn wanted(ArrayColumn::Kind::number);
  for (const LaneId lane : lanes) wanted.append(lane.value());
  Parameters parameters;
  parameters.add(wanted).add(sql::value_of(max));
  std::vector<Task> tasks;
  ReplyRows rows(connection_.ask(select_ready, parameters));
  for (sql::Cursor row(rows); row.next();) {
    Task& task = tasks.emplace_back(sql::task_of(row));
    remember(task);
    if (!task.item || row.is_null(brief_at)) continue;
    briefs_.try_emplace(task.item, store::ItemBrief{.key = row.text(brief_at),
                                                    .category = row.text(brief_at + 1),
                                                    .data = row.json(brief_at + 2)});
  }
  return tasks;
}

std::vector<Task> PostgresRows::due_retries(Timestamp now, std::uint32_t max) {
  send();
  return read_locked([&] { return select_tasks(select_due_retries, Parameters::of(now, max)); });
}

std::vector<Task> PostgresRows::running_of(WorkerId worker, std::uint32_t max) {
  send();
  std::vector<Task> running =
      read_locked([&] { return select_tasks(select_running, Parameters::of(worker, max)); });
  std::vector<std::int64_t> items;
  for (const Task& task : running) {
    if (task.item && !progress_.contains(task.item)) items.push_back(task.item.value());
  }
  load_progress(items);
  return running;
}

/// If another worker has already closed an attempt, its row exists: the transaction then fails on
/// the key and is repeated without this.
void PostgresRows::send_attempts_early(std::span<const Step> steps) {
  std::map<std::pair<TaskId, AttemptNumber>, const Attempt*> closed;
  for (const Step& step : steps) {
    if (!step.closed) continue;
    const auto [at, is_new] =
        closed.try_emplace({step.closed->task, step.closed->number}, &*step.closed);
    if (!is_new) at->second = nullptr;  // closed twice: which of them counts is not known yet
  }
  for (const auto& [key, attempt] : closed) {
    if (attempt == nullptr) continue;
    early_attempts_.emplace(key, attempt);
    sql::attempt_values(*attempt, [&](const auto&... values) { new_attempts_.append(values...); });
  }
  send_attempts();
}

void PostgresRows::insert_attempt(const Attempt& attempt) {
  const auto early = early_attempts_.find({attempt.task, attempt.number});
  if (early != early_attempts_.end()) {
    if (early->second == &attempt) {
      early_attempts_.erase(early);
      return;
    }
    // An earlier step of the batch ended this task, so a late result does not count.
    take_back_early_attempts();
  }
  sql::attempt_values(attempt, [&](const auto&... values) { new_attempts_.append(values...); });
}

std::vector<Attempt> PostgresRows::attempts(TaskId task) {
  send();
  return sql::attempts_of(connection_, task);
}

}  // namespace pawl::postgres
