#pragma once

/// Thin ownership over SQLite's C interface: connections, prepared statements, transactions.
///
/// Everything here throws `DbError`; the store turns it into a `Result` at its boundary
/// (faults.hpp). Threads: a connection and what it prepared belong to one thread at a time.

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "pawl/core/ids.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/time.hpp"

namespace pawl::sqlite {

/// What SQLite answered, with its extended result code.
struct DbError : std::runtime_error {
  DbError(int result_code, const std::string& message)
      : std::runtime_error(message), code(result_code) {}
  [[nodiscard]] int primary_code() const { return code & 0xFF; }
  int code;
};

template <class T>
concept IdLike = requires(const T& id) {
  { id.value() } -> std::same_as<std::int64_t>;
};

class Cursor;

/// A prepared statement. Use `run` for writes and `query` for reads.
class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);
  Statement(Statement&& other) noexcept
      : db_(other.db_), raw_(std::exchange(other.raw_, nullptr)), bound_(std::move(other.bound_)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement() { sqlite3_finalize(raw_); }

  /// Carries out a statement that answers no rows; returns how many rows it changed.
  template <class... Values>
  int run(const Values&... values) {
    int place = 0;
    (bind(++place, values), ...);
    return finish();
  }

  /// The rows of a statement. While the cursor lives, the statement must not be used again.
  template <class... Values>
  [[nodiscard]] Cursor query(const Values&... values);

  // For statements with many parameters: bind one by one, then `finish`. Text is not copied: it
  // must live until then.
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
  friend class Cursor;
  /// What a place was given last. SQLite keeps bindings, and most columns of most rows repeat:
  /// binding only what differs saves a tenth of a step.
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
  void reset() noexcept { sqlite3_reset(raw_); }

  sqlite3* db_;
  sqlite3_stmt* raw_ = nullptr;
  std::vector<Bound> bound_;  ///< by place, counted from 1
};

/// The rows a statement answers, one at a time; lets go of them when it ends.
class Cursor {
 public:
  explicit Cursor(Statement& statement) : statement_(&statement) {}
  Cursor(Cursor&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
  Cursor& operator=(Cursor&&) = delete;
  ~Cursor();

  [[nodiscard]] bool next() { return statement_->step(); }

  [[nodiscard]] bool is_null(int column) const {
    return sqlite3_column_type(statement_->raw_, column) == SQLITE_NULL;
  }
  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(statement_->raw_, column);
  }
  [[nodiscard]] bool flag(int column) const { return integer(column) != 0; }
  template <class T>
  [[nodiscard]] T as(int column) const {
    if constexpr (IdLike<T>) {
      return T{integer(column)};
    } else if constexpr (std::same_as<T, Timestamp>) {
      return Timestamp{Duration{integer(column)}};
    } else {
      return static_cast<T>(integer(column));
    }
  }
  template <class T>
  [[nodiscard]] std::optional<T> optional(int column) const {
    if (is_null(column)) return std::nullopt;
    return as<T>(column);
  }
  /// Valid until the next row. Empty for null.
  [[nodiscard]] std::string_view view(int column) const;
  [[nodiscard]] std::string text(int column) const { return std::string(view(column)); }
  /// What a codec wrote; null for SQL null.
  [[nodiscard]] Json json(int column) const {
    return is_null(column) ? Json() : Json::trusted(text(column));
  }

 private:
  Statement* statement_;
};

/// Reads the columns of a row from left to right.
class Columns {
 public:
  explicit Columns(const Cursor& row, int first = 0) : row_(row), at_(first) {}
  template <class T>
  [[nodiscard]] T as() {
    return row_.as<T>(at_++);
  }
  template <class T>
  void into(T& value) {
    if constexpr (std::same_as<T, std::string>) {
      value = row_.text(at_++);
    } else if constexpr (std::same_as<T, Json>) {
      value = row_.json(at_++);
    } else {
      value = row_.as<T>(at_++);
    }
  }
  template <class T>
  void into(std::optional<T>& value) {
    value = row_.optional<T>(at_++);
  }
  /// Empty for null.
  [[nodiscard]] std::string_view view() { return row_.view(at_++); }
  [[nodiscard]] bool is_null() const { return row_.is_null(at_); }
  void skip(int count = 1) { at_ += count; }

 private:
  const Cursor& row_;
  int at_;
};

template <class... Values>
Cursor Statement::query(const Values&... values) {
  int place = 0;
  // The cursor may outlive temporaries of the call, so text is copied here.
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

class Connection {
 public:
  enum class Mode : std::uint8_t { create, read_write, read_only };

  Connection(const std::filesystem::path& path, Mode mode);

  /// The statement for this text, prepared once. REQUIRES: `sql` is a literal; its address is the
  /// key.
  Statement& prepared(const char* sql);
  /// One or more statements without parameters, not kept.
  void run(const std::string& sql);
  /// The first column of the first row of a statement that is not kept.
  [[nodiscard]] std::int64_t integer(const std::string& sql);
  [[nodiscard]] std::int64_t last_row() const { return sqlite3_last_insert_rowid(raw_.get()); }
  [[nodiscard]] bool is_read_only() const { return sqlite3_db_readonly(raw_.get(), "main") == 1; }
  [[nodiscard]] bool in_transaction() const { return sqlite3_get_autocommit(raw_.get()) == 0; }
  [[nodiscard]] sqlite3* raw() const { return raw_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  std::unique_ptr<sqlite3, Close> raw_;
  std::unordered_map<const void*, Statement> statements_;
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
