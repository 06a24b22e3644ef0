/// W5 on PostgreSQL: how long a claim takes beside work that ended long ago, in the same tables,
/// and beside work that waits for its turn. The stores take turns, claim by claim.
///
/// The history is a job that the engine really ran, and then copies of its rows with other ids. Its
/// tables are vacuumed and analysed as autovacuum would have done in the meantime.

#include <array>
#include <string>

#include "bench/postgres_server.hpp"
#include "bench/postgres_session.hpp"
#include "bench/postgres_sides.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

constexpr std::uint32_t claim_size = 100;
constexpr std::size_t claims = 60;
constexpr std::int64_t items_of_the_model = 2'000;

/// Does not wait for the disk, because only the queries could get slower.
constexpr char without_waiting[] = "synchronous_commit=off";

/// The columns of a table with shifted ids.
struct Shifted {
  const char* column;
  const char* expression;  ///< with `n` as the number of the copy
};
std::string copying_sql(PostgresSession& session, const std::string& table,
                        std::initializer_list<Shifted> shifted, std::int64_t copies) {
  const ResultRows columns =
      session.run("SELECT attname FROM pg_attribute WHERE attrelid = '" + table +
                  "'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum");
  std::string values;
  for (int row = 0; row < PQntuples(columns.get()); ++row) {
    std::string value = PQgetvalue(columns.get(), row, 0);
    for (const Shifted& one : shifted) {
      if (value == one.column) value = one.expression;
    }
    values += (row == 0 ? "" : ", ") + value;
  }
  return "INSERT INTO " + table + " SELECT " + values + " FROM " + table + ", generate_series(1, " +
         std::to_string(copies) + ") AS n ORDER BY n";
}

/// Returns how many finished tasks there are.
std::int64_t make_history(const Schema& schema, std::int64_t tasks) {
  {
    const auto store = postgres_store(schema.store(without_waiting));
    const Program program = chain();
    (void)run_to_the_end(store, program, submit_to(*store, program, items_of_the_model));
  }
  PostgresSession session(schema.server(), schema.name());
  session.run("SET synchronous_commit = off");
  const std::int64_t copies = tasks / (items_of_the_model * chain_length) - 1;
  const std::string items = std::to_string(items_of_the_model);
  const std::string lanes =
      std::to_string(session.integer("SELECT value - 1 FROM counters WHERE name = 'lane'"));
  const std::string lane_by = " + n * " + lanes;
  const std::string by = " + n * " + items;
  const std::string task_by = " + n * (" + items + "::bigint << 16)";
  const std::string shifted_base = "base" + lane_by;
  const std::string shifted_first = "first_ordinal" + by;
  const std::string shifted_last = "last_ordinal" + by;
  const std::string shifted_id = "id" + by;
  const std::string shifted_item = "item" + by;
  const std::string shifted_age = "age" + by;
  const std::string shifted_lane = "lane" + lane_by;
  const std::string shifted_task_id = "id" + task_by;
  const std::string shifted_task = "task" + task_by;
  const auto copy = [&](const char* table, std::initializer_list<Shifted> shifted) {
    session.run(copying_sql(session, table, shifted, copies));
  };
  copy("tasks", {{"id", shifted_task_id.c_str()},
                 {"job", "job + n"},
                 {"item", shifted_item.c_str()},
                 {"lane", shifted_lane.c_str()},
                 {"age", shifted_age.c_str()}});
  copy("attempts", {{"task", shifted_task.c_str()}});
  copy("items", {{"id", shifted_id.c_str()}, {"job", "job + n"}});
  copy("lane_groups", {{"base", shifted_base.c_str()}, {"job", "job + n"}});
  copy("jobs", {{"id", "id + n"},
                {"first_ordinal", shifted_first.c_str()},
                {"last_ordinal", shifted_last.c_str()}});
  session.run("UPDATE counters SET value = (value - 1) * " + std::to_string(copies + 1) +
              " + 1 WHERE name IN ('job', 'lane', 'ordinal')");
  for (const char* table : {"tasks", "attempts", "items", "lane_groups", "jobs"}) {
    session.run(std::string("VACUUM (ANALYZE) ") + table);
  }
  return session.integer("SELECT count(*) FROM tasks WHERE state = 6");
}

/// One store with tasks to claim.
class Side {
 public:
  Side(const Schema& schema, std::int64_t waiting)
      : store_(postgres_store(schema.store(without_waiting))),
        worker_(must(store_->enlist({.host = "localhost", .name = "w5"}), "a worker")),
        job_(submit_to(*store_, chain(), waiting)) {}

  struct Taken {
    double lanes = 0;
    double claim = 0;
  };
  /// Looks for lanes with work and claims 100 tasks. Returns the milliseconds of both.
  Taken claim() {
    Taken taken;
    const Stopwatch looking;
    const std::vector<LaneHead> heads = must(store_->ready_lanes(), "lanes");
    taken.lanes = looking.seconds() * 1e3;
    LaneShare share{.job = job_, .lanes = {}, .max = claim_size};
    for (const LaneHead& head : heads) {
      if (head.job == job_) share.lanes.push_back({.id = head.lane, .stage = head.stage});
    }
    const Stopwatch claiming;
    const Claims claimed = must(store_->claim({.worker = worker_, .shares = {share}}), "a claim");
    taken.claim = claiming.seconds() * 1e3;
    if (claimed.opened.size() != claim_size) give_up("a claim came back short");
    return taken;
  }

 private:
  std::shared_ptr<Store> store_;
  WorkerId worker_;
  JobId job_;
};

enum class Beside : std::uint8_t { nothing, history, waiting_work };
constexpr std::size_t sides_count = 3;

/// Milliseconds by the other content of the store, turn by turn.
struct Turns {
  std::int64_t finished = 0;
  std::array<std::array<double, claims>, sides_count> lanes{};
  std::array<std::array<double, claims>, sides_count> claim{};
};

Turns take_turns(const std::string& server, std::int64_t finished, std::int64_t waiting) {
  const Schema empty(server);
  const Schema grown(server);
  const Schema full(server);
  Turns turns{.finished = make_history(grown, finished)};
  constexpr std::int64_t enough = claim_size * claims;
  std::array<Side, sides_count> sides{Side(empty, enough), Side(grown, enough),
                                      Side(full, waiting)};
  PostgresSession(server).run("CHECKPOINT");
  for (std::size_t turn = 0; turn < claims; ++turn) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const std::size_t place = (turn + i) % sides.size();  // no side always comes first
      const Side::Taken taken = sides[place].claim();
      turns.lanes[place][turn] = taken.lanes;
      turns.claim[place][turn] = taken.claim;
    }
  }
  return turns;
}

}  // namespace

Lines w5_postgres(const Plan& plan) {
  const std::string& server = postgres_url(plan.folder);
  const std::int64_t finished = plan.full ? 1'000'000 : 100'000;
  const std::int64_t waiting = plan.full ? 200'000 : 20'000;
  const Turns turns = in_child([&] { return take_turns(server, finished, waiting); });
  const auto line = [&](Beside beside, const char* figure, const auto& samples) {
    const std::string what = beside == Beside::history
                                 ? count_text(turns.finished) + " finished tasks"
                                 : count_text(waiting) + " ready tasks";
    const auto& ours = samples[static_cast<std::size_t>(beside)];
    const auto& other = samples[static_cast<std::size_t>(Beside::nothing)];
    return Line{.work = "W5 " + what,
                .figure = figure,
                .ours = {ours.begin(), ours.end()},
                .beside = "an empty store",
                .other = {other.begin(), other.end()},
                .bar = at_most(1.3)};
  };
  Lines lines;
  for (const Beside beside : {Beside::history, Beside::waiting_work}) {
    lines.push_back(line(beside, "claim of 100, ms", turns.claim));
    lines.push_back(line(beside, "ready_lanes, ms", turns.lanes));
  }
  lines.front().notes = {"PostgreSQL, tables vacuumed and analysed, synchronous_commit off"};
  return lines;
}

}  // namespace pawl::bench
