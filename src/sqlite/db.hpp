#pragma once

/// Thin ownership over SQLite's C interface: connections, prepared statements, transactions.
///
/// All of it throws `DbError`; the store turns that into a `Result` at its boundary (faults.hpp).
/// Threads: a connection and its statements belong to one thread at a time.

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "files/file_lock.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/time.hpp"
#include "sql/session.hpp"

namespace pawl::sqlite {

/// An error of SQLite with its extended result code.
struct DbError : std::runtime_error {
  DbError(int result_code, const std::string& message)
      : std::runtime_error(message), code(result_code) {}
  /// The last error of a connection.
  [[nodiscard]] static DbError of(sqlite3* db);
  [[nodiscard]] int primary_code() const { return code & 0xFF; }
  int code;
};

using sql::Columns;
using sql::Cursor;
using sql::IdLike;

/// A prepared statement. Use `run` for writes and `query` for reads.
class Statement final : public sql::Statement, private sql::RowSource {
 public:
  Statement(sqlite3* db, std::string_view sql);
  Statement(Statement&& other) noexcept
      : db_(other.db_), raw_(std::exchange(other.raw_, nullptr)), bound_(std::move(other.bound_)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() { sqlite3_finalize(raw_); }

  /// Runs a statement that returns no rows. Returns how many rows it changed.
  template <class... Values>
  int run(const Values&... values) {
    int place = 0;
    (bind(++place, values), ...);
    return finish();
  }

  /// The rows of a statement. While the cursor lives, the statement must not be used again.
  template <class... Values>
  [[nodiscard]] Cursor query(const Values&... values) {
    int place = 0;
    // The cursor may outlive temporaries of the call, so text is copied.
    [[maybe_unused]] const auto bind_copy = [&](int at, const auto& value) {
      if constexpr (std::convertible_to<decltype(value), std::string_view>) {
        bind_text(at, value, SQLITE_TRANSIENT);
      } else {
        bind(at, value);
      }
    };
    (bind_copy(++place, values), ...);
    return Cursor(*this);
  }

  // For statements with many parameters: bind one by one, then call `finish`. Text is not copied
  // and must live until then.
  void bind(int place, std::nullptr_t) {
    Bound& bound = bound_[static_cast<std::size_t>(place)];
    if (bound.kind == Bound::Kind::null) return;
    check(sqlite3_bind_null(raw_, place));
    bound.kind = Bound::Kind::null;
  }
  void bind(int place, std::string_view text) { bind_text(place, text, SQLITE_STATIC); }
  void bind(int place, const std::string& text) { bind(place, std::string_view(text)); }
  void bind(int place, const char* text) { bind(place, std::string_view(text)); }
  void bind(int place, const Json& json) { bind(place, std::string_view(json.text())); }
  template <std::integral T>
  void bind(int place, T number) {
    bind_number(place, static_cast<sqlite3_int64>(number));
  }
  template <class T>
    requires std::is_enum_v<T>
  void bind(int place, T value) {
    bind_number(place, static_cast<sqlite3_int64>(value));
  }
  template <IdLike T>
  void bind(int place, const T& id) {
    bind_number(place, id.value());
  }
  void bind(int place, Timestamp at) { bind(place, at.time_since_epoch().count()); }
  void bind(int place, Duration time) { bind(place, time.count()); }
  template <class T>
  void bind(int place, const std::optional<T>& value) {
    if (value) {
      bind(place, *value);
    } else {
      bind(place, nullptr);
    }
  }
  int finish();

 private:
  /// The last value bound to a parameter. SQLite keeps bindings, and most columns of most rows
  /// repeat: binding only what differs saves a tenth of a step.
  struct Bound {
    enum class Kind : std::uint8_t { null, number, text } kind = Kind::null;
    sqlite3_int64 number = 0;
  };

  void bind_number(int place, sqlite3_int64 number) {
    Bound& bound = bound_[static_cast<std::size_t>(place)];
    if (bound.kind == Bound::Kind::number && bound.number == number) return;
    check(sqlite3_bind_int64(raw_, place, number));
    bound = {Bound::Kind::number, number};
  }
  void bind_text(int place, std::string_view text, sqlite3_destructor_type lifetime) {
    bound_[static_cast<std::size_t>(place)].kind = Bound::Kind::text;
    check(sqlite3_bind_text64(raw_, place, text.data() == nullptr ? "" : text.data(), text.size(),
                              lifetime, SQLITE_UTF8));
  }
  void check(int code) const {
    if (code != SQLITE_OK) [[unlikely]]
      raise();
  }
  [[noreturn]] void raise() const;
  bool step();

  sql::RowSource& ask(std::span<const sql::Value> values) override;
  bool next() override { return step(); }
  bool is_null(int column) const override {
    return sqlite3_column_type(raw_, column) == SQLITE_NULL;
  }
  std::int64_t integer(int column) const override { return sqlite3_column_int64(raw_, column); }
  std::string_view view(int column) const override;
  void let_go() noexcept override { sqlite3_reset(raw_); }

  sqlite3* db_;
  sqlite3_stmt* raw_ = nullptr;
  std::vector<Bound> bound_;  ///< by parameter number, from 1
};

/// What changes when a file is written or replaced.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t changed = 0;

  /// All zero if the file does not exist.
  [[nodiscard]] static FileStamp of(const std::filesystem::path& path);
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

class Connection final : public sql::Session {
 public:
  enum class Mode : std::uint8_t {
    create,
    read_write,
    read_only,
    look,  ///< for a user who may not write the file
  };

  /// `patience` limits the wait for SQLite's own locks.
  Connection(const std::filesystem::path& path, Mode mode, files::LockPatience patience = {});

  /// The statement for this text, prepared once. REQUIRES: `sql` is a literal; its address is the
  /// key.
  [[nodiscard]] Statement& prepared(const char* sql) override;
  /// Runs one or more statements without parameters; they are not cached.
  void run(const std::string& sql);
  /// The first column of the first row of a statement; it is not cached.
  [[nodiscard]] std::int64_t integer(const std::string& sql);
  [[nodiscard]] std::int64_t last_row() const { return sqlite3_last_insert_rowid(raw_.get()); }
  /// The number of rows written so far by this connection.
  [[nodiscard]] std::int64_t rows_written() const { return sqlite3_total_changes64(raw_.get()); }
  [[nodiscard]] bool is_read_only() const { return sqlite3_db_readonly(raw_.get(), "main") == 1; }
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(raw_.get()) == 0; }
  [[nodiscard]] sqlite3* raw() const { return raw_.get(); }
  /// Whether what was read through this connection since it was opened may be old or torn, because
  /// a file that was taken for unchanging has changed. Only in mode `look`; open another then.
  [[nodiscard]] bool is_outdated() const;

 private:
  /// How the file was found by a user who may not write it.
  struct LookedAt {
    std::filesystem::path path;
    FileStamp stamp;
    bool is_immutable = false;  ///< SQLite takes no locks and notices no changes
  };
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  /// A wait for one of SQLite's locks and its limit.
  struct Waiting {
    files::LockPatience patience;
    std::chrono::steady_clock::time_point began;
  };
  static int wait_a_moment(void* waiting, int times);

  std::unique_ptr<Waiting> waiting_;  ///< outlives raw_, which holds its address
  std::unique_ptr<sqlite3, Close> raw_;
  std::unordered_map<const void*, Statement> statements_;
  std::optional<LookedAt> looked_at_;
};

/// A transaction that is rolled back unless it is committed.
class Transaction {
 public:
  enum class Kind : std::uint8_t { read, write };
  Transaction(Connection& connection, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace pawl::sqlite
