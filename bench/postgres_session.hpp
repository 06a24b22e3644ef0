#pragma once

/// PostgreSQL without pawl: for the limits, and for inspecting from outside what was written. An
/// error ends the program.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

namespace pawl::bench {

/// An array of bigint or of text in binary form; any value may be null.
class BinaryArray {
 public:
  enum class Kind : std::uint8_t { number, text };
  explicit BinaryArray(Kind kind) : kind_(kind) { clear(); }

  void append(std::int64_t number);
  void append(std::string_view text);
  void append_null();
  [[nodiscard]] std::int32_t size() const { return count_; }
  /// Valid until the next change.
  [[nodiscard]] std::string_view bytes();
  void clear();

 private:
  Kind kind_;
  std::int32_t count_ = 0;
  bool has_null_ = false;
  std::string bytes_;
};

/// The parameters of one statement, all binary.
class BinaryValues {
 public:
  BinaryValues& add(std::int64_t number);
  BinaryValues& add(std::string_view text);
  BinaryValues& add(BinaryArray& array);
  BinaryValues& add_all(BinaryValues&& more);
  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultRows = std::unique_ptr<PGresult, ClearResult>;

class PostgresSession {
 public:
  explicit PostgresSession(const std::string& url, const std::string& schema = "");

  /// Runs one or more statements. Returns the rows of the last one.
  ResultRows run(const std::string& sql);
  /// The first value.
  [[nodiscard]] std::int64_t integer(const std::string& sql);

  /// Prepares a statement for `post`. REQUIRES: no pipeline was begun.
  void prepare(const char* name, const std::string& sql);
  /// From now on `post` sends and `settle` waits for everything sent; no other function may be
  /// called.
  void begin_pipeline();
  void post(const char* name, const BinaryValues& values = {});
  /// The results of the statements, in order.
  std::vector<ResultRows> settle();

 private:
  [[noreturn]] void fail();

  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> raw_;
};

/// A bigint of a binary result.
[[nodiscard]] std::int64_t bigint_of(const PGresult* rows, int row, int column);

}  // namespace pawl::bench
