#include "bench/bare_rows.hpp"

#include <utility>

#include "bench/chain.hpp"

namespace pawl::bench {

namespace {

constexpr std::int64_t journal_zone_rows = 1'024;
constexpr std::int64_t events_per_row = 16;

// Versions have the size of ours: a time in microseconds.
constexpr char same_versions_sql[] = "UPDATE tasks SET version = 1700000000000001";

constexpr char insert_attempt_sql[] =
    "INSERT INTO attempts (task, number, epoch, round, cause, worker, ran, opened_at, started_at, "
    "ended_at, result, cost_microusd, tokens, failures_before, rejections_before, "
    "rate_limit_waits_before, interruptions_before, epoch_attempts_before, graceful, decision, "
    "rule, next_run_at, next_cause, review_reason, fail_cause, cancel_cause, new_round, failures, "
    "rejections, rate_limit_waits, interruptions, epoch_attempts, output) "
    "VALUES (?1, 1, 1, 1, 1, ?2, 1, ?3, ?3, ?3, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, "
    "0, 0, 0, 0, 0, 1, ?4)";

constexpr char insert_task_sql[] =
    "INSERT INTO tasks (id, job, item, lane, age, version, state, epoch, round, expansion, "
    "attempts, cause, failures, rejections, rate_limit_waits, interruptions, epoch_attempts, "
    "worker, opened_at) VALUES (?1, ?2, ?3, ?4, ?3, 1700000000000002, 2, 1, 1, 0, 1, 1, 0, 0, 0, "
    "0, 1, ?5, ?6)";

constexpr char insert_ready_sql[] =
    "INSERT INTO tasks (id, job, item, lane, age, version, state, epoch, round, expansion, "
    "attempts, cause, failures, rejections, rate_limit_waits, interruptions, epoch_attempts) "
    "VALUES (?1, ?2, ?3, ?4, ?3, 1700000000000001, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0)";

constexpr char insert_item_sql[] =
    "INSERT INTO items (id, job, key, state, sinks_left, failed_tasks, adopted_from, pass, "
    "submitted_at, category, data_sha256, data) VALUES (?1, ?2, ?3, 1, 1, 0, 0, 1, ?4, '', '', ?5)";

constexpr char upsert_zone_sql[] =
    "INSERT INTO journal_zones (zone, job_lo, job_hi, item_lo, item_hi) "
    "VALUES (?1, ?2, ?2, ?3, ?4) ON CONFLICT (zone) DO UPDATE SET "
    "job_lo = min(job_lo, excluded.job_lo), job_hi = max(job_hi, excluded.job_hi), "
    "item_lo = min(item_lo, excluded.item_lo), item_hi = max(item_hi, excluded.item_hi)";

/// Creates the database with its job. Returns the path, so that this happens before any statement
/// is prepared.
std::filesystem::path made(const std::filesystem::path& path, const Program& program,
                           std::int64_t items) {
  const std::shared_ptr<Store> store = must(open_sqlite_store({.path = path}), "a store");
  must(store->enlist({.host = "localhost", .pid = 1, .name = "limit"}), "a worker");
  // The submission stays open, so that the job never ends.
  const JobId job = must(store->create_job({.workflow = program.workflow()}), "a job").id;
  const ItemSource source = items_up_to(items);
  for (bool more = true; more;) {
    std::vector<NewItem> page;
    more = *source(page);
    must(store->add_items({.job = job, .items = page}), "items");
  }
  return path;
}

}  // namespace

BareRows::BareRows(const std::filesystem::path& path, const Program& program, std::int64_t items)
    : stages_(static_cast<std::int64_t>(program.workflow().stage_count())),
      database_(made(path, program, items)),
      job_(database_.integer("SELECT max(id) FROM jobs")),
      worker_(database_.integer("SELECT max(id) FROM workers")),
      // A job without items has no group yet. Any number will do.
      lane_(items > 0 ? database_.integer("SELECT max(base) FROM lane_groups") : 1),
      ordinal_(database_.integer("SELECT value FROM counters WHERE name = 'ordinal'")),
      begin_(database_, "BEGIN IMMEDIATE"),
      commit_(database_, "COMMIT"),
      select_ready_(
          database_,
          "SELECT age FROM tasks WHERE state = 1 AND lane = ?1 ORDER BY age, id LIMIT ?2"),
      select_item_(database_, "SELECT key, category, data FROM items WHERE id = ?1"),
      open_task_(database_,
                 "UPDATE tasks SET version = 1700000000000002, state = 2, attempts = 1, "
                 "epoch_attempts = 1, "
                 "worker = ?2, opened_at = ?3 WHERE id = ?1 AND version = 1700000000000001"),
      close_task_(database_,
                  "UPDATE tasks SET version = 1700000000000003, state = 6, worker = NULL, "
                  "opened_at = NULL, "
                  "stands = 1, edited_by = 0 WHERE id = ?1 AND version = 1700000000000002"),
      insert_task_(database_, insert_task_sql),
      insert_ready_(database_, insert_ready_sql),
      insert_attempt_(database_, insert_attempt_sql),
      insert_journal_(database_, "INSERT INTO journal (job, at, events) VALUES (?1, ?2, ?3)"),
      insert_item_(database_, insert_item_sql),
      select_key_(database_, "SELECT pass FROM items WHERE job = ?1 AND key = ?2"),
      settle_item_(database_,
                   "UPDATE items SET state = 2, sinks_left = 0 WHERE id = ?1 AND state = 1"),
      update_job_(
          database_,
          "UPDATE jobs SET last_ordinal = ?2, counters = ?3 WHERE id = ?1 AND generation = 1"),
      update_worker_(database_, "UPDATE workers SET last_batch = ?2 WHERE id = ?1"),
      update_ordinal_(database_, "UPDATE counters SET value = ?1 WHERE name = 'ordinal'"),
      upsert_zone_(database_, upsert_zone_sql) {
  database_.run(same_versions_sql);
}

void BareRows::begin() {
  begin_.run();
  now_ = system_clock().now().time_since_epoch().count();
  item_lo_ = item_hi_ = zone_lo_ = zone_hi_ = 0;
  logged_ = false;
}

void BareRows::number(std::int64_t value) {
  std::array<char, 24> digits;
  text_.append(digits.data(),
               std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void BareRows::journal() {
  insert_journal_.run(job_, now_, text_);
  zone_hi_ = sqlite3_last_insert_rowid(database_.raw()) / journal_zone_rows;
  if (!std::exchange(logged_, true)) zone_lo_ = zone_hi_;
  text_.clear();
}

std::vector<std::int64_t> BareRows::claim(std::int64_t max) {
  std::vector<std::int64_t> claimed;
  for (select_ready_.ask(lane_, max); select_ready_.next();) {
    claimed.push_back(select_ready_.integer(0));
  }
  std::int64_t events = 0;
  for (const std::int64_t item : claimed) {
    const std::int64_t task = item << 16;
    if (open_task_.run(task, worker_, now_) != 1) give_up("a claim was fenced");
    for (select_item_.ask(item); select_item_.next();) {
      (void)select_item_.text(0);
      (void)select_item_.text(2);
    }
    if (!text_.empty()) text_ += '\n';
    text_ += "7,";
    number(item);
    text_ += ',';
    number(task);
    text_ += ",1,1";
    if (++events % events_per_row == 0) journal();
  }
  if (!text_.empty()) journal();
  if (!claimed.empty()) {
    item_lo_ = claimed.front();
    item_hi_ = claimed.back();
  }
  return claimed;
}

std::int64_t BareRows::insert_item(const NewItem& item) {
  const std::int64_t ordinal = ordinal_++;
  for (select_key_.ask(job_, std::string_view(item.key)); select_key_.next();) {
    give_up("a key came twice");
  }
  insert_item_.run(ordinal, job_, std::string_view(item.key), now_,
                   std::string_view(item.data.text()));
  added_ = true;
  return ordinal;
}

std::int64_t BareRows::add_item(const NewItem& item) {
  const std::int64_t ordinal = insert_item(item);
  insert_task_.run(ordinal << 16, job_, ordinal, lane_, worker_, now_);
  text_ += "7,";
  number(ordinal);
  text_ += ',';
  number(ordinal << 16);
  text_ += ",1,1";
  journal();
  item_lo_ = item_hi_ = ordinal;
  return ordinal;
}

void BareRows::add_waiting_item(const NewItem& item) {
  const std::int64_t ordinal = insert_item(item);
  insert_ready_.run(ordinal << 16, job_, ordinal, lane_);
}

void BareRows::close(std::int64_t ordinal, std::int64_t stage) {
  const std::int64_t task = (ordinal << 16) | stage;
  if (close_task_.run(task) != 1) give_up("a close was fenced");
  insert_attempt_.run(task, worker_, now_, std::string_view(stage_output().text()));
  ++closed_;
  closed_any_ = true;
  text_ += "8,";
  number(ordinal);
  text_ += ',';
  number(task);
  text_ += ",1,1\n17,=,=,1\n";
  if (stage + 1 < stages_) {
    insert_task_.run(task + 1, job_, ordinal, lane_ + stage + 1, worker_, now_);
    text_ += "7,=,";
    number(task + 1);
    text_ += ",1,1";
  } else {
    settle_item_.run(ordinal);
    ++settled_;
    text_ += "5,=,,,2";
  }
  journal();
  if (item_lo_ == 0 || ordinal < item_lo_) item_lo_ = ordinal;
  if (ordinal > item_hi_) item_hi_ = ordinal;
}

void BareRows::count_and_mark() {
  // As long as the engine's: twelve totals, a time, and the tasks by stage and state.
  for (const std::int64_t total : {ordinal_, settled_, settled_, closed_, closed_, batch_, now_}) {
    number(total);
    text_ += ' ';
  }
  text_ += "0 0 0 0 0 0|";
  for (std::int64_t stage = 0; stage < stages_; ++stage) {
    text_ += "2:";
    number(closed_ / stages_);
    text_ += ",6:";
    number(settled_);
    text_ += ",;";
  }
  text_ += "|;;;;;";
  if (update_job_.run(job_, ordinal_ - 1, std::string_view(text_)) != 1) {
    give_up("the job's generation changed");
  }
  text_.clear();
  // Only a batch of steps has a number; a claim and a submission have none.
  if (std::exchange(closed_any_, false)) update_worker_.run(worker_, batch_);
  if (std::exchange(added_, false)) update_ordinal_.run(ordinal_);
  if (!logged_) return;
  for (std::int64_t zone = zone_lo_; zone <= zone_hi_; ++zone) {
    upsert_zone_.run(zone, job_, item_lo_, item_hi_);
  }
}

void BareRows::commit() {
  ++batch_;
  count_and_mark();
  commit_.run();
}

}  // namespace pawl::bench
