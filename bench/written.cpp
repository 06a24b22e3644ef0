#include "bench/written.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/database.hpp"

namespace pawl::bench {

namespace {

double mebibytes(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

/// "40000+80000": inserted, then updated.
std::string changed(const RowCount& count) {
  return std::to_string(count.inserted) + "+" + std::to_string(count.updated);
}

}  // namespace

Watch::Watch(std::filesystem::path database)
    : database_(std::move(database)),
      rows_(rows_of(database_)),
      traffic_(traffic_of(database_)),
      transactions_(transactions_of(database_)) {
  restart_log_peak(database_);
}

Written Watch::wrote() const {
  return {.rows = rows_of(database_) - rows_,
          .traffic = traffic_of(database_) - traffic_,
          .transactions = transactions_of(database_) - transactions_,
          .log_peak = log_peak(database_),
          .pragmas = pragmas_of_writer(database_)};
}

std::int64_t bytes_at_rest(const std::filesystem::path& path) {
  Database database(path);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size");
}

void must_be_equal(std::string_view name, const Written& ours, const Written& other) {
  const auto refuse = [&](const std::string& what) {
    give_up(std::string(name) + " is no fair comparison: " + what);
  };
  const auto differ = [&](Table table) {
    refuse("rows of " + std::string(table_names[static_cast<std::size_t>(table)]) +
           " inserted+updated: ours " + changed(ours.rows[table]) + ", the other's " +
           changed(other.rows[table]));
  };
  if (ours.pragmas != other.pragmas) {
    refuse("the pragmas differ: ours " + text_of(ours.pragmas) + "; the other's " +
           text_of(other.pragmas));
  }
  for (const Table table : {Table::items, Table::tasks, Table::attempts}) {
    if (ours.rows[table] != other.rows[table]) differ(table);
  }
  for (const Table table : {Table::journal, Table::other}) {
    const std::int64_t apart = std::abs(ours.rows[table].inserted - other.rows[table].inserted) +
                               std::abs(ours.rows[table].updated - other.rows[table].updated);
    if (apart > std::max(ours.transactions, other.transactions)) differ(table);
  }
}

std::string written_heading() {
  char text[200];
  std::snprintf(text, sizeof text, "%13s %15s %11s %11s %11s %11s %9s %7s %8s %8s", "items",
                "tasks", "attempts", "journal", "jobs", "workers", "commits", "fsyncs", "log MiB",
                "db MiB");
  return text;
}

std::string text_of(const Written& wrote) {
  char text[200];
  std::snprintf(
      text, sizeof text, "%13s %15s %11s %11s %11s %11s %9lld %7lld %8.1f %8.1f",
      changed(wrote.rows[Table::items]).c_str(), changed(wrote.rows[Table::tasks]).c_str(),
      changed(wrote.rows[Table::attempts]).c_str(), changed(wrote.rows[Table::journal]).c_str(),
      changed(wrote.rows[Table::jobs]).c_str(), changed(wrote.rows[Table::workers]).c_str(),
      static_cast<long long>(wrote.transactions), static_cast<long long>(wrote.traffic.syncs()),
      mebibytes(wrote.traffic.log_bytes), mebibytes(wrote.traffic.database_bytes));
  return text;
}

Json json_of(const RowCounts& rows) {
  std::vector<std::pair<std::string, Json>> tables;
  for (std::size_t i = 0; i < table_names.size(); ++i) {
    const RowCount& count = rows.of_table[i];
    tables.emplace_back(table_names[i], Json::object({{"inserted", count.inserted},
                                                      {"updated", count.updated},
                                                      {"deleted", count.deleted}}));
  }
  return Json::object(tables);
}

Json json_of(const Written& wrote) {
  return Json::object({{"rows", json_of(wrote.rows)},
                       {"transactions", wrote.transactions},
                       {"log_bytes", wrote.traffic.log_bytes},
                       {"log_fsyncs", wrote.traffic.log_syncs},
                       {"database_bytes", wrote.traffic.database_bytes},
                       {"database_fsyncs", wrote.traffic.database_syncs},
                       {"log_peak_bytes", wrote.log_peak},
                       {"bytes_at_rest", wrote.bytes_at_rest},
                       {"pragmas", text_of(wrote.pragmas)}});
}

}  // namespace pawl::bench
