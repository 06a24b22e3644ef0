#include "bench/connections.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

// Debian's SQLite has the hook, but declares it only on request.
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

#include "bench/measure.hpp"

namespace pawl::bench {

namespace {

/// One for the process, because SQLite's hooks are global.
struct Watched {
  std::mutex mutex;
  std::vector<sqlite3*> open;
  std::map<std::string, RowCounts> rows;
  bool counts_rows = false;
};
Watched& watched() {
  static Watched all;
  return all;
}

std::string path_of(sqlite3* db) {
  const char* name = sqlite3_db_filename(db, "main");
  return name == nullptr ? std::string() : name;
}

void on_change(void*, sqlite3* db, int operation, const char* schema, const char* table,
               sqlite3_int64, sqlite3_int64) {
  if (std::strcmp(schema, "main") != 0) return;
  const auto* const found = std::ranges::find(table_names, std::string_view(table));
  const auto place = std::min(static_cast<std::size_t>(found - table_names.begin()),
                              static_cast<std::size_t>(Table::other));
  const std::lock_guard lock(watched().mutex);
  RowCount& count = watched().rows[path_of(db)].of_table[place];
  ++(operation == SQLITE_INSERT   ? count.inserted
     : operation == SQLITE_UPDATE ? count.updated
                                  : count.deleted);
}

/// SQLite has no hook for closing a connection, but it destroys the connection's functions.
void on_close(void* db) {
  const std::lock_guard lock(watched().mutex);
  std::erase(watched().open, static_cast<sqlite3*>(db));
}

void do_nothing(sqlite3_context*, int, sqlite3_value**) {}

int on_open(sqlite3* db, char**, const sqlite3_api_routines*) {
  const std::lock_guard lock(watched().mutex);
  watched().open.push_back(db);
  if (watched().counts_rows) sqlite3_preupdate_hook(db, on_change, nullptr);
  return sqlite3_create_function_v2(db, "seen_by_the_bench", 0, SQLITE_UTF8, db, do_nothing,
                                    nullptr, nullptr, on_close);
}

std::string asked(sqlite3* db, const char* pragma) {
  std::string answer;
  const auto keep = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) = values[0];
    return 0;
  };
  if (sqlite3_exec(db, (std::string("PRAGMA ") + pragma).c_str(), keep, &answer, nullptr) !=
      SQLITE_OK) {
    give_up(std::string("a connection does not answer: ") + sqlite3_errmsg(db));
  }
  return answer;
}

Pragmas asked(sqlite3* db) {
  Pragmas pragmas{.synchronous = std::stoll(asked(db, "synchronous")),
                  .page_size = std::stoll(asked(db, "page_size")),
                  .cache_size = std::stoll(asked(db, "cache_size")),
                  .wal_autocheckpoint = std::stoll(asked(db, "wal_autocheckpoint"))};
  const std::string mode = asked(db, "journal_mode");
  std::copy_n(mode.begin(), std::min(mode.size(), pragmas.journal_mode.size() - 1),
              pragmas.journal_mode.begin());
  return pragmas;
}

}  // namespace

RowCounts operator-(const RowCounts& after, const RowCounts& before) {
  RowCounts change = after;
  for (std::size_t i = 0; i < change.of_table.size(); ++i) {
    change.of_table[i].inserted -= before.of_table[i].inserted;
    change.of_table[i].updated -= before.of_table[i].updated;
    change.of_table[i].deleted -= before.of_table[i].deleted;
  }
  return change;
}

std::string text_of(const Pragmas& pragmas) {
  return std::string("journal_mode ") + pragmas.journal_mode.data() + ", synchronous " +
         std::to_string(pragmas.synchronous) + ", page_size " + std::to_string(pragmas.page_size) +
         ", cache_size " + std::to_string(pragmas.cache_size) + ", wal_autocheckpoint " +
         std::to_string(pragmas.wal_autocheckpoint);
}

void watch_connections() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(on_open)); }

void count_rows() { watched().counts_rows = true; }

RowCounts rows_of(const std::filesystem::path& database) {
  const std::lock_guard lock(watched().mutex);
  return watched().rows[database.string()];
}

Pragmas pragmas_of_writer(const std::filesystem::path& database) {
  std::vector<sqlite3*> open;
  {
    const std::lock_guard lock(watched().mutex);
    open = watched().open;
  }
  // In the order of opening: a store's writer comes before its readers, which others may be using.
  for (sqlite3* const db : open) {
    if (path_of(db) == database.string() && asked(db, "query_only") == "0") return asked(db);
  }
  give_up("nobody writes to '" + database.string() + "'");
}

}  // namespace pawl::bench
