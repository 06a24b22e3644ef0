#pragma once

/// Thin ownership over libpq: one connection, always in pipeline mode.
///
/// `post` sends a statement without waiting; `want` does the same and keeps its rows; `answers`
/// waits for everything sent so far and returns the kept rows; `ask` does both for one statement;
/// `await_posted` only waits. An error of any of them is thrown at the next wait, as `DbError`; the
/// statements after it were not executed. So a transaction is a few posts and one wait.
///
/// Every wait is limited: a server that does not answer within the time in the settings is lost.
///
/// A connection is one session of the server: `search_path`, timeouts, prepared statements and
/// LISTEN belong to it. A pooler that shares sessions among its clients would break that silently.
/// So each transaction begins with a statement that fails in any session except the one that was
/// set up here. It is sent with the first statement and costs no round trip. Threads: a connection
/// belongs to one thread at a time.

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libpq-fe.h>

#include "pawl/core/time.hpp"
#include "postgres/address.hpp"
#include "postgres/parameters.hpp"
#include "sql/session.hpp"

namespace pawl::postgres {

/// The oldest supported server, in the numbering of libpq.
inline constexpr int oldest_server = 150'000;

/// An error of PostgreSQL with its SQLSTATE, or a lost connection.
struct DbError : std::runtime_error {
  enum class Kind : std::uint8_t {
    not_connected,  ///< no connection could be made
    lost,  ///< the connection broke; statements that were sent may or may not have been executed
    not_our_session,  ///< a pooler gave us another session; nothing was executed
    answered,         ///< an error of the statement; `state` says which
  };
  DbError(Kind what, std::string sql_state, const std::string& message)
      : std::runtime_error(message), kind(what), state(std::move(sql_state)) {}

  [[nodiscard]] bool is_lost() const { return kind == Kind::lost; }
  /// A deadlock, or another transaction was first: the same transaction may succeed if it is
  /// repeated.
  [[nodiscard]] bool may_repeat() const {
    return state == "40P01" || state == "40001" || state == "23505" || is_stale();
  }
  /// One of our compare-and-set statements found another version than expected (see
  /// rows_written.cpp).
  [[nodiscard]] bool is_stale() const { return state == "22012"; }

  Kind kind;
  std::string state;
};

/// The rows that a statement returned.
class Reply {
 public:
  explicit Reply(PGresult* raw = nullptr) : raw_(raw) {}
  [[nodiscard]] int rows() const { return raw_ ? PQntuples(raw_.get()) : 0; }
  [[nodiscard]] bool is_null(int row, int column) const {
    return PQgetisnull(raw_.get(), row, column) == 1;
  }
  /// Reads any width on the wire; a boolean is 0 or 1.
  [[nodiscard]] std::int64_t integer(int row, int column) const;
  [[nodiscard]] std::string_view view(int row, int column) const;
  /// How many rows were changed.
  [[nodiscard]] std::int64_t changed() const;
  [[nodiscard]] PGresult* raw() const { return raw_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> raw_;
};

/// A cursor over a reply.
class ReplyRows final : public sql::RowSource {
 public:
  explicit ReplyRows(Reply reply = Reply()) : reply_(std::move(reply)) {}
  [[nodiscard]] bool next() override { return ++row_ < reply_.rows(); }
  [[nodiscard]] bool is_null(int column) const override { return reply_.is_null(row_, column); }
  [[nodiscard]] std::int64_t integer(int column) const override {
    return reply_.integer(row_, column);
  }
  [[nodiscard]] std::string_view view(int column) const override {
    return reply_.view(row_, column);
  }
  void let_go() noexcept override { reply_ = Reply(); }

 private:
  Reply reply_;
  int row_ = -1;
};

class Connection final : public sql::Session {
 public:
  struct Settings {
    Address address;
    std::string name;  ///< the application_name that the server shows
    /// Statements that set up the session; run once after connecting.
    std::string set_up;
    Duration answer_within = std::chrono::seconds(30);
  };

  explicit Connection(Settings settings);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] sql::Statement& prepared(const char* sql) override;

  /// REQUIRES: `sql` is a literal; its address is the key of the prepared statement. Parameters are
  /// `$1`.
  void post(const char* sql, const Parameters& parameters = {});
  void want(const char* sql, const Parameters& parameters = {});
  /// The rows of the statements that were wanted, in order.
  [[nodiscard]] std::vector<Reply> answers();
  [[nodiscard]] Reply ask(const char* sql, const Parameters& parameters = {});
  void await_posted();
  /// Sends what was posted; the answers are read before the next statement.
  void push();
  /// Posts the statement that begins a transaction.
  void begin(const char* sql);
  /// Runs one or more statements without parameters; they are not cached. REQUIRES: a transaction
  /// has begun.
  void run(const std::string& sql);

  /// Ends the open transaction after a failure. A lost connection stays lost.
  void roll_back() noexcept;

  [[nodiscard]] bool is_open() const { return !is_lost_; }
  [[nodiscard]] int server_version() const { return PQserverVersion(raw_.get()); }
  /// The process number of our server process, as the server reports it.
  [[nodiscard]] int backend() const { return backend_; }
  /// Whether a pooler answers in the server's place: the process number in its greeting is not that
  /// of the server process.
  [[nodiscard]] bool has_pooler() const { return PQbackendPID(raw_.get()) != backend_; }
  [[nodiscard]] int socket() const { return PQsocket(raw_.get()); }
  [[nodiscard]] PGconn* raw() const { return raw_.get(); }
  [[nodiscard]] const Settings& settings() const { return settings_; }

 private:
  class Prepared;
  enum class Expected : std::uint8_t { preparation, guard, posted, wanted, sync };

  void connect();
  void set_up();
  void guard();
  void send(const char* sql, const Parameters& parameters, Expected as);
  const std::string& name_of(const char* sql, const Parameters& parameters);
  void sync();
  /// Reads until everything that was sent is answered.
  std::vector<Reply> collect();
  [[nodiscard]] static bool is_of_another_session(const std::string& state, Expected failed);
  [[nodiscard]] Reply next_reply();
  void wait();
  void check(int is_ok);
  [[noreturn]] void lose(const std::string& why);

  Settings settings_;
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> raw_;
  bool is_lost_ = false;
  int backend_ = 0;
  std::string token_;        ///< set in the session by this connection only
  std::string search_path_;  ///< as the session shows it
  bool is_guarded_ = false;  ///< the next statement follows a guard
  std::vector<Expected> expected_;
  std::size_t answered_ = 0;  ///< how many of expected_ are answered
  std::uint64_t names_ = 0;
  /// Prepared statements by their text and the types of their parameters.
  using Key = std::pair<const void*, std::vector<TypeId>>;
  std::map<Key, std::string> names_by_text_;
  std::vector<Key> unproven_;  ///< those whose preparation is not confirmed yet
  std::map<const void*, std::unique_ptr<Prepared>> statements_;
};

}  // namespace pawl::postgres
