#include "bench/database.hpp"

#include <cstring>
#include <fstream>

namespace pawl::bench {

Query::Query(Database& database, const char* sql) : db_(database.raw()) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK) {
    give_up(std::string(sqlite3_errmsg(db_)) + " in: " + sql);
  }
  raw_.reset(raw);
}

bool Query::next() {
  const int code = sqlite3_step(raw_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) give_up(std::string("SQLite: ") + sqlite3_errmsg(db_));
  sqlite3_reset(raw_.get());
  return false;
}

std::string Query::text(int column) const {
  const auto* text = sqlite3_column_text(raw_.get(), column);
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

Database::Database(const std::filesystem::path& path) {
  sqlite3* db = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  raw_.reset(db);
  if (code != SQLITE_OK) give_up("cannot open '" + path.string() + "'");
  sqlite3_busy_timeout(db, 20'000);
  sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, nullptr, 512, 256);
  run("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384;"
      "PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA journal_size_limit = 67108864");
}

void Database::run(const char* sql) {
  if (sqlite3_exec(raw_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    give_up(std::string("SQLite: ") + sqlite3_errmsg(raw_.get()));
  }
}

std::int64_t Database::integer(const char* sql) {
  Query query(*this, sql);
  return query.next() ? query.integer(0) : 0;
}

std::int64_t transactions_of(const std::filesystem::path& path) {
  constexpr std::streamoff change_counter_at = 8;
  std::ifstream index(path.string() + "-shm", std::ios::binary);
  std::uint32_t count = 0;
  char bytes[sizeof count];
  if (!index.seekg(change_counter_at) || !index.read(bytes, sizeof bytes)) {
    give_up("'" + path.string() + "' has no shared index");
  }
  std::memcpy(&count, bytes, sizeof count);
  return count;
}

}  // namespace pawl::bench
