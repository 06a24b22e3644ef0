#include "bench/served.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "bench/measure.hpp"
#include "bench/postgres_session.hpp"
#include "bench/written.hpp"

namespace pawl::bench {

namespace {

/// Another database of the same server, so that our own queries are not counted.
std::string outside(const std::string& server) {
  return server.substr(0, server.rfind('/')) + "/postgres";
}

std::int64_t number(const PGresult* rows, int row, int column) {
  return std::strtoll(PQgetvalue(rows, row, column), nullptr, 10);
}

void wait_for_the_last_session(PostgresSession& session) {
  for (int tries = 0; tries < 1'000; ++tries) {
    if (session.integer("SELECT count(*) FROM pg_stat_activity WHERE datname = 'pawl' "
                        "AND backend_type = 'client backend'") == 0) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  give_up("a session on the server does not end");
}

void read_tables(const std::string& server, const std::string& schema, Served& into) {
  PostgresSession session(server);
  const ResultRows found = session.run(
      "SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables "
      "WHERE schemaname = '" +
      schema + "'");
  for (int row = 0; row < PQntuples(found.get()); ++row) {
    const std::string_view table = PQgetvalue(found.get(), row, 0);
    const auto* const known = std::ranges::find(table_names, table);
    const auto place = std::min(static_cast<std::size_t>(known - table_names.begin()),
                                static_cast<std::size_t>(Table::other));
    RowCount& count = into.rows.of_table[place];
    count.inserted += number(found.get(), row, 1);
    count.updated += number(found.get(), row, 2);
    count.deleted += number(found.get(), row, 3);
    if (table == "writers") into.writes = number(found.get(), row, 2);
  }
}

void read_server(PostgresSession& session, Served& into) {
  into.transactions = session.integer(
      "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'pawl'");
  const ResultRows wal = session.run("SELECT wal_bytes, wal_fpi, wal_sync FROM pg_stat_wal");
  into.wal_bytes = number(wal.get(), 0, 0);
  into.wal_full_pages = number(wal.get(), 0, 1);
  into.wal_syncs = number(wal.get(), 0, 2);
}

std::string changed(const RowCount& count) {
  return std::to_string(count.inserted) + "+" + std::to_string(count.updated);
}

}  // namespace

ServerWatch::ServerWatch(std::string server, std::string schema)
    : server_(std::move(server)), schema_(std::move(schema)) {
  PostgresSession session(outside(server_));
  wait_for_the_last_session(session);
  read_tables(server_, schema_, before_);
  session.run("CHECKPOINT");
  wait_for_the_last_session(session);
  read_server(session, before_);
}

Served ServerWatch::served() const {
  Served after;
  PostgresSession session(outside(server_));
  wait_for_the_last_session(session);
  read_server(session, after);
  read_tables(server_, schema_, after);
  return {.rows = after.rows - before_.rows,
          .writes = after.writes - before_.writes,
          .transactions = after.transactions - before_.transactions,
          .wal_bytes = after.wal_bytes - before_.wal_bytes,
          .wal_full_pages = after.wal_full_pages - before_.wal_full_pages,
          .wal_syncs = after.wal_syncs - before_.wal_syncs};
}

void must_be_equal(std::string_view name, const Served& ours, const Served& other) {
  const auto differ = [&](Table table) {
    give_up(std::string(name) + " is no fair comparison: rows of " +
            std::string(table_names[static_cast<std::size_t>(table)]) + " inserted+updated: ours " +
            changed(ours.rows[table]) + ", the other's " + changed(other.rows[table]));
  };
  for (const Table table : {Table::items, Table::tasks, Table::attempts}) {
    if (ours.rows[table] != other.rows[table]) differ(table);
  }
  const std::int64_t apart =
      std::abs(ours.rows[Table::journal].inserted - other.rows[Table::journal].inserted);
  if (apart > std::max(ours.writes, other.writes)) differ(Table::journal);
}

std::string served_heading() {
  char text[200];
  std::snprintf(text, sizeof text, "%13s %15s %11s %11s %11s %11s %8s %8s %9s %8s %10s", "items",
                "tasks", "attempts", "journal", "jobs", "workers", "writes", "commits", "WAL syncs",
                "WAL MiB", "full pages");
  return text;
}

std::string text_of(const Served& served) {
  char text[200];
  std::snprintf(
      text, sizeof text, "%13s %15s %11s %11s %11s %11s %8lld %8lld %9lld %8.1f %10lld",
      changed(served.rows[Table::items]).c_str(), changed(served.rows[Table::tasks]).c_str(),
      changed(served.rows[Table::attempts]).c_str(), changed(served.rows[Table::journal]).c_str(),
      changed(served.rows[Table::jobs]).c_str(), changed(served.rows[Table::workers]).c_str(),
      static_cast<long long>(served.writes), static_cast<long long>(served.transactions),
      static_cast<long long>(served.wal_syncs), static_cast<double>(served.wal_bytes) / (1 << 20),
      static_cast<long long>(served.wal_full_pages));
  return text;
}

Json json_of(const Served& served) {
  return Json::object({{"rows", json_of(served.rows)},
                       {"writes", served.writes},
                       {"transactions", served.transactions},
                       {"wal_bytes", served.wal_bytes},
                       {"wal_full_pages", served.wal_full_pages},
                       {"wal_syncs", served.wal_syncs}});
}

}  // namespace pawl::bench
