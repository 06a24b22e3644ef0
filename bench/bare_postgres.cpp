#include "bench/bare_postgres.hpp"

#include <array>

#include "bench/chain.hpp"

namespace pawl::bench {

namespace {

using enum BulkColumn::Holds;

constexpr std::int64_t events_per_row = 16;

// Versions have the size of ours: a time in microseconds.
constexpr std::int64_t ready_version = 1'700'000'000'000'001;
constexpr std::int64_t open_version = ready_version + 1;
constexpr std::int64_t closed_version = ready_version + 2;

constexpr std::array opened_columns{BulkColumn{"id", number},
                                    BulkColumn{"expected", constant, ready_version},
                                    BulkColumn{"version", constant, open_version},
                                    BulkColumn{"state", constant, 2},
                                    BulkColumn{"attempts", constant, 1},
                                    BulkColumn{"epoch_attempts", constant, 1},
                                    BulkColumn{"worker", number},
                                    BulkColumn{"opened_at", number}};

constexpr std::array closed_columns{BulkColumn{"id", number},
                                    BulkColumn{"expected", constant, open_version},
                                    BulkColumn{"version", constant, closed_version},
                                    BulkColumn{"state", constant, 6},
                                    BulkColumn{"worker", null},
                                    BulkColumn{"opened_at", null},
                                    BulkColumn{"stands", constant, 1},
                                    BulkColumn{"edited_by", constant, 0}};

constexpr std::array fresh_columns{BulkColumn{"id", number},
                                   BulkColumn{"job", number},
                                   BulkColumn{"item", number},
                                   BulkColumn{"lane", number},
                                   BulkColumn{"age", number},
                                   BulkColumn{"version", constant, open_version},
                                   BulkColumn{"state", constant, 2},
                                   BulkColumn{"epoch", constant, 1},
                                   BulkColumn{"round", constant, 1},
                                   BulkColumn{"expansion", constant, 0},
                                   BulkColumn{"attempts", constant, 1},
                                   BulkColumn{"cause", constant, 1},
                                   BulkColumn{"failures", constant, 0},
                                   BulkColumn{"rejections", constant, 0},
                                   BulkColumn{"rate_limit_waits", constant, 0},
                                   BulkColumn{"interruptions", constant, 0},
                                   BulkColumn{"epoch_attempts", constant, 1},
                                   BulkColumn{"worker", number},
                                   BulkColumn{"opened_at", number}};

constexpr std::array attempt_columns{BulkColumn{"task", number},
                                     BulkColumn{"number", constant, 1},
                                     BulkColumn{"epoch", constant, 1},
                                     BulkColumn{"round", constant, 1},
                                     BulkColumn{"cause", constant, 1},
                                     BulkColumn{"worker", number},
                                     BulkColumn{"ran", constant, 1},
                                     BulkColumn{"opened_at", number},
                                     BulkColumn{"started_at", number},
                                     BulkColumn{"ended_at", number},
                                     BulkColumn{"result", constant, 1},
                                     BulkColumn{"verdict", null},
                                     BulkColumn{"cost_microusd", constant, 0},
                                     BulkColumn{"tokens", constant, 0},
                                     BulkColumn{"failures_before", constant, 0},
                                     BulkColumn{"rejections_before", constant, 0},
                                     BulkColumn{"rate_limit_waits_before", constant, 0},
                                     BulkColumn{"interruptions_before", constant, 0},
                                     BulkColumn{"epoch_attempts_before", constant, 1},
                                     BulkColumn{"attempts_cap", null},
                                     BulkColumn{"cancelled_by", null},
                                     BulkColumn{"graceful", constant, 0},
                                     BulkColumn{"decision", constant, 1},
                                     BulkColumn{"rule", constant, 1},
                                     BulkColumn{"next_run_at", constant, 0},
                                     BulkColumn{"next_cause", constant, 1},
                                     BulkColumn{"review_reason", constant, 1},
                                     BulkColumn{"fail_cause", constant, 1},
                                     BulkColumn{"cancel_cause", constant, 1},
                                     BulkColumn{"new_round", constant, 0},
                                     BulkColumn{"failures", constant, 0},
                                     BulkColumn{"rejections", constant, 0},
                                     BulkColumn{"rate_limit_waits", constant, 0},
                                     BulkColumn{"interruptions", constant, 0},
                                     BulkColumn{"epoch_attempts", constant, 1},
                                     BulkColumn{"decider", null_text},
                                     BulkColumn{"decision_reason", null_text},
                                     BulkColumn{"verdict_reason", null_text},
                                     BulkColumn{"error", null_text},
                                     BulkColumn{"feedback", null_text},
                                     BulkColumn{"summary", null_text},
                                     BulkColumn{"artifacts", null_text},
                                     BulkColumn{"output", text}};

constexpr std::array settled_columns{BulkColumn{"id", number}, BulkColumn{"state", constant, 2},
                                     BulkColumn{"sinks_left", constant, 0}};

constexpr std::array journal_columns{BulkColumn{"job", number}, BulkColumn{"at", number},
                                     BulkColumn{"events", text}, BulkColumn{"item_lo", number},
                                     BulkColumn{"item_hi", number}};

/// Fails unless $N rows were changed, so that the commit after it is not executed.
std::string all_or_nothing(const std::string& change, int count_at) {
  return "WITH changed AS (" + change + " RETURNING 1) SELECT 1 / (count(*) = $" +
         std::to_string(count_at) + "::bigint)::int FROM changed";
}

std::string fenced_update(const BulkRows& rows) {
  return "UPDATE tasks AS t SET " + rows.assignments(2) + " FROM " + rows.source(2) +
         " WHERE t.id = u.id AND t.version = ";
}

constexpr char numbered_journal[] =
    "WITH taken AS (UPDATE counters SET value = value + $1::bigint WHERE name = 'journal' "
    "RETURNING value - $1::bigint AS first), "
    "numbered AS (SELECT taken.first + u.n - 1 AS row, u.* FROM taken, "
    "unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) WITH ORDINALITY "
    "AS u (job, at, events, item_lo, item_hi, n)), "
    "written AS (INSERT INTO journal (row, job, at, events) "
    "SELECT row, job, at, events FROM numbered) "
    "INSERT INTO journal_zones AS z (zone, job_lo, job_hi, item_lo, item_hi) "
    "SELECT row / 1024, min(job), max(job), min(item_lo), max(item_hi) FROM numbered "
    "GROUP BY row / 1024 "
    "ON CONFLICT (zone) DO UPDATE SET job_lo = least(z.job_lo, excluded.job_lo), "
    "job_hi = greatest(z.job_hi, excluded.job_hi), "
    "item_lo = least(z.item_lo, excluded.item_lo), "
    "item_hi = greatest(z.item_hi, excluded.item_hi)";

constexpr char select_ready[] =
    "SELECT t.item, i.key, i.data FROM (SELECT id, item, age FROM tasks WHERE state = 1 "
    "AND lane = $1 ORDER BY age, id LIMIT $2 FOR UPDATE SKIP LOCKED) AS t "
    "JOIN items i ON i.id = t.item ORDER BY t.age, t.id";

}  // namespace

BarePostgres::BarePostgres(const Schema& schema, Constants constants)
    : session_(schema.server(), schema.name()),
      job_(session_.integer("SELECT max(id) FROM jobs")),
      worker_(session_.integer("SELECT max(id) FROM workers")),
      lane_(session_.integer("SELECT max(base) FROM lane_groups")),
      writer_(session_.integer("INSERT INTO writers SELECT 1 + coalesce(max(id), 0), 0, 0 "
                               "FROM writers RETURNING id")),
      last_ordinal_(session_.integer("SELECT max(id) FROM items")),
      opened_(opened_columns, constants),
      closed_(closed_columns, constants),
      fresh_(fresh_columns, constants),
      attempts_(attempt_columns, constants),
      settled_(settled_columns, constants),
      journal_(journal_columns, Constants::sent) {
  session_.run(
      "SET jit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; "
      "SET enable_hashjoin = off; SET enable_mergejoin = off");
  // If constants are in the SQL, so is the expected version.
  const bool is_sent = constants == Constants::sent;
  session_.prepare("begin", "BEGIN");
  session_.prepare("commit", "COMMIT");
  session_.prepare("writer",
                   "UPDATE writers SET last_write = $2::bigint, used_at = $3::bigint "
                   "WHERE id = $1::bigint");
  session_.prepare("worker",
                   all_or_nothing("UPDATE workers SET last_batch = $2::bigint "
                                  "WHERE id = $1::bigint AND retired = 0 AND last_batch <> $2",
                                  3));
  session_.prepare("lock", "SELECT generation FROM jobs WHERE id = $1::bigint FOR NO KEY UPDATE");
  session_.prepare("job", all_or_nothing("UPDATE jobs SET last_ordinal = $2::bigint, "
                                         "counters = $3::text WHERE id = $1::bigint "
                                         "AND generation = 1",
                                         4));
  session_.prepare("ready", select_ready);
  session_.prepare("open",
                   "WITH changed AS (" + fenced_update(opened_) +
                       (is_sent ? "u.expected" : std::to_string(ready_version)) +
                       " RETURNING 1) SELECT 1 / (count(*) = $1::bigint)::int FROM changed");
  session_.prepare("close",
                   "WITH changed AS (" + fenced_update(closed_) +
                       (is_sent ? "u.expected" : std::to_string(open_version)) +
                       " RETURNING 1) SELECT 1 / (count(*) = $1::bigint)::int FROM changed");
  session_.prepare("fresh", fresh_.insert_into("tasks"));
  session_.prepare("attempts", attempts_.insert_into("attempts"));
  session_.prepare("settle", "UPDATE items AS t SET " + settled_.assignments(1) + " FROM " +
                                 settled_.source() + " WHERE t.id = u.id AND t.state = 1");
  session_.prepare("journal", numbered_journal);
  session_.begin_pipeline();
}

void BarePostgres::make_versions_alike(const Schema& schema) {
  PostgresSession(schema.server(), schema.name())
      .run("UPDATE tasks SET version = " + std::to_string(ready_version) + " WHERE state = 1");
}

void BarePostgres::begin() {
  now_ = system_clock().now().time_since_epoch().count();
  ++batch_;
  session_.post("begin");
  session_.post("writer", BinaryValues().add(writer_).add(batch_).add(now_));
}

void BarePostgres::note(std::int64_t ordinal) {
  if (item_lo_ == 0 || ordinal < item_lo_) item_lo_ = ordinal;
  if (ordinal > item_hi_) item_hi_ = ordinal;
}

void BarePostgres::end_journal_row() {
  journal_.append({job_, now_, item_lo_, item_hi_}, text_);
  text_.clear();
  item_lo_ = item_hi_ = 0;
}

void BarePostgres::post_journal() {
  BinaryValues values;
  values.add(journal_.size());
  session_.post("journal", values.add_all(journal_.take()));
}

void BarePostgres::post_job() {
  // As long as the engine's: twelve totals, a time, and the tasks by stage and state.
  std::string counters;
  for (const std::int64_t total :
       {last_ordinal_, all_settled_, all_settled_, all_closed_, all_closed_, batch_, now_}) {
    counters += std::to_string(total) + ' ';
  }
  counters += "0 0 0 0 0 0|";
  for (std::int64_t stage = 0; stage < chain_length; ++stage) {
    counters += "2:" + std::to_string(all_closed_ / chain_length) +
                ",6:" + std::to_string(all_settled_) + ",;";
  }
  counters += "|;;;;;";
  session_.post("job", BinaryValues()
                           .add(job_)
                           .add(last_ordinal_)
                           .add(std::string_view(counters))
                           .add(std::int64_t{1}));
}

std::vector<std::int64_t> BarePostgres::claim(std::int64_t max) {
  begin();
  session_.post("lock", BinaryValues().add(job_));
  session_.post("ready", BinaryValues().add(lane_).add(max));
  const std::vector<ResultRows> answers = session_.settle();
  const PGresult* const ready = answers.back().get();
  std::vector<std::int64_t> claimed;
  for (int row = 0; row < PQntuples(ready); ++row) {
    const std::int64_t item = bigint_of(ready, row, 0);
    const std::int64_t task = item << 16;
    claimed.push_back(item);
    opened_.append({task, worker_, now_});
    if (!text_.empty()) text_ += '\n';
    text_ += "7," + std::to_string(item) + ',' + std::to_string(task) + ",1,1";
    note(item);
    if (std::ssize(claimed) % events_per_row == 0) end_journal_row();
  }
  if (!text_.empty()) end_journal_row();
  post_job();
  if (opened_.size() > 0) {
    BinaryValues values;
    values.add(opened_.size());
    session_.post("open", values.add_all(opened_.take()));
    post_journal();
  }
  session_.post("commit");
  session_.settle();
  return claimed;
}

void BarePostgres::close(std::int64_t ordinal, std::int64_t stage) {
  if (closed_.size() == 0) now_ = system_clock().now().time_since_epoch().count();
  const std::int64_t task = (ordinal << 16) | stage;
  closed_.append({task});
  attempts_.append({task, worker_, now_, now_, now_}, stage_output().text());
  ++all_closed_;
  text_ += "8," + std::to_string(ordinal) + ',' + std::to_string(task) + ",1,1\n17,=,=,1\n";
  if (stage + 1 < chain_length) {
    fresh_.append({task + 1, job_, ordinal, lane_ + stage + 1, ordinal, worker_, now_});
    text_ += "7,=," + std::to_string(task + 1) + ",1,1";
  } else {
    settled_.append({ordinal});
    ++all_settled_;
    text_ += "5,=,,,2";
  }
  note(ordinal);
  end_journal_row();
}

void BarePostgres::commit() {
  begin();
  session_.post("worker", BinaryValues().add(worker_).add(batch_).add(std::int64_t{1}));
  post_job();
  BinaryValues closed;
  closed.add(closed_.size());
  session_.post("close", closed.add_all(closed_.take()));
  if (fresh_.size() > 0) session_.post("fresh", fresh_.take());
  session_.post("attempts", attempts_.take());
  if (settled_.size() > 0) session_.post("settle", settled_.take());
  post_journal();
  session_.post("commit");
  session_.settle();
}

}  // namespace pawl::bench
