#pragma once

/// SQLite without pawl: for the limits, and for inspecting from outside what was written.

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "bench/measure.hpp"

namespace pawl::bench {

class Database;

class Query {
 public:
  Query(Database& database, const char* sql);

  /// Binds and runs. Returns how many rows changed.
  template <class... Values>
  int run(const Values&... values) {
    bind_all(values...);
    while (next()) {
    }
    return sqlite3_changes(db_);
  }
  /// Binds; then call `next` until it returns false.
  template <class... Values>
  void ask(const Values&... values) {
    bind_all(values...);
  }
  bool next();
  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(raw_.get(), column);
  }
  [[nodiscard]] std::string text(int column) const;

 private:
  template <class... Values>
  void bind_all(const Values&... values) {
    int place = 0;
    (bind(++place, values), ...);
  }
  void bind(int place, std::integral auto number) {
    sqlite3_bind_int64(raw_.get(), place, static_cast<sqlite3_int64>(number));
  }
  void bind(int place, std::string_view text) {
    sqlite3_bind_text(raw_.get(), place, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Finalize> raw_;
};

class Database {
 public:
  /// Opens a database that a store has created, with the pragmas of the store's writer.
  explicit Database(const std::filesystem::path& path);
  void run(const char* sql);
  [[nodiscard]] std::int64_t integer(const char* sql);
  [[nodiscard]] sqlite3* raw() const { return raw_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close(db); }
  };
  std::unique_ptr<sqlite3, Close> raw_;
};

/// How many write transactions a database has seen since it was opened: SQLite's own counter in the
/// shared index of its log (`iChange`), which every commit that writes increases by one. The
/// measured code does not take part in the counting.
[[nodiscard]] std::int64_t transactions_of(const std::filesystem::path& path);

}  // namespace pawl::bench
