#pragma once

/// The connection that writes, and how a transaction is completed after errors:
///
/// - A deadlock or a conflict: the transaction is repeated.
/// - The connection breaks before the commit was sent: reconnects and repeats the transaction.
/// - The connection breaks during the commit: only the database knows whether it was applied. Every
///   transaction writes its number into the row of its writer. That row is locked and read on a new
///   connection, which waits for the rest of the old one. Then the outcome is known, and the
///   transaction is reported as done or repeated.
/// - A server took over without this writer's newest commits: the same row shows it. The
///   transaction returns `unavailable`, so that its caller reads the store again.
///
/// Threads: one at a time; the store has a lock. `setbacks` may be called from any thread.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "postgres/dialer.hpp"
#include "postgres/immutable_cache.hpp"
#include "postgres/postgres_rows.hpp"
#include "postgres/server_clock.hpp"

namespace pawl::postgres {

class Writer {
 public:
  /// Connects and brings the schema up to date. Both arguments must outlive this object.
  Writer(Dialer& dialer, bool create, bool migrate, ServerClock& clock);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Runs `body(rows)`, which returns a Result, and commits unless it returns an error. `body` may
  /// run several times; only one of the runs takes effect.
  template <class Body>
  auto transaction(Body body) -> std::invoke_result_t<Body, PostgresRows&>;

  /// How often a server was found to have lost commits of this writer.
  [[nodiscard]] std::uint64_t setbacks() const { return setbacks_; }

  /// Sends one statement outside transactions without waiting for its answer. Never throws.
  void post(const char* sql, const Parameters& parameters) noexcept;

 private:
  /// What to do after an error.
  enum class Next : std::uint8_t { give_up, repeat, ask_whether_written };
  [[nodiscard]] Next after(const DbError& error, bool was_committing, int tries);

  /// The connection, connected and signed on.
  Connection& connection();
  void sign_on();
  /// Looks for this writer's row after a reconnection.
  void find_own_row();
  /// Throws once for every setback.
  void refuse_after_setback();
  void begin();
  void commit(PostgresRows& rows);
  /// Whether the newest transaction was applied. Asks until the server answers, up to a limit.
  [[nodiscard]] bool was_written();

  Dialer& dialer_;
  const Address& address_;
  ServerClock& clock_;
  std::unique_ptr<Connection> connection_;
  ImmutableCache cache_;
  std::int64_t id_ = 0;  ///< of this writer; 0: not signed on yet
  /// What a transaction writes into this writer's row.
  struct Write {
    std::int64_t number = 0;
    Timestamp at;
    friend bool operator==(const Write&, const Write&) = default;
  };
  Write newest_;
  Write acknowledged_;  ///< the newest with a confirmed commit
  const std::string token_;
  bool is_set_back_ = false;  ///< and the caller does not know it yet
  std::atomic<std::uint64_t> setbacks_ = 0;
};

template <class Body>
auto Writer::transaction(Body body) -> std::invoke_result_t<Body, PostgresRows&> {
  using Answer = std::invoke_result_t<Body, PostgresRows&>;
  for (int tries = 1;; ++tries) {
    std::optional<Answer> answer;
    bool is_committing = false;
    try {
      connection();
      refuse_after_setback();
      begin();
      PostgresRows rows(*connection_, cache_, tries > 1);
      answer.emplace(body(rows));
      if (!*answer) {
        connection_->roll_back();
        return *std::move(answer);
      }
      rows.finish();
      is_committing = true;
      commit(rows);
      return *std::move(answer);
    } catch (const DbError& error) {
      const Next next = after(error, is_committing, tries);
      if (next == Next::give_up) throw;
      if (next == Next::ask_whether_written && was_written()) {
        acknowledged_ = newest_;
        return *std::move(answer);
      }
    } catch (...) {
      if (connection_) connection_->roll_back();
      throw;
    }
  }
}

}  // namespace pawl::postgres
