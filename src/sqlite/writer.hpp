#pragma once

/// The one connection of a store that writes, with its cache and its place in the queue of writers.
/// Threads: one at a time; the store's mutex ensures that.

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>

#include "pawl/store/sqlite.hpp"
#include "sqlite/db.hpp"
#include "sqlite/row_cache.hpp"
#include "sqlite/turnstile.hpp"

namespace pawl::sqlite {

class Writer {
 public:
  /// Opens or creates the database and brings its schema up to date.
  explicit Writer(SqliteOptions options);

  [[nodiscard]] Connection& connection() { return *connection_; }
  [[nodiscard]] RowCache& cache() { return cache_; }

  /// Runs `body` in a write transaction and commits if it succeeds; otherwise rolls back and clears
  /// the cache. `was_applied` is called after a commit whose outcome only the disk knows.
  template <class Body>
  auto transaction(Body body, const std::function<bool()>& was_applied)
      -> std::invoke_result_t<Body> {
    const Turnstile::Turn turn = turnstile_->enter();
    if (connection_ == nullptr) open();
    try {
      return attempt(std::move(body));
    } catch (const CommitUnknown& failed) {
      resolve_doubt(failed, was_applied);
    }
  }

 private:
  struct CommitUnknown {
    DbError error;
  };
  struct ForgetUnlessKept {
    RowCache& cache;
    bool kept = false;
    ~ForgetUnlessKept() {
      if (!kept) cache.forget();
    }
  };

  template <class Body>
  auto attempt(Body body) -> std::invoke_result_t<Body> {
    ForgetUnlessKept remembered{cache_};
    Transaction transaction(*connection_, Transaction::Kind::write);
    auto answer = body();
    if (!answer) return answer;
    try {
      transaction.commit();
    } catch (const DbError& error) {
      if (error.primary_code() == SQLITE_IOERR) throw CommitUnknown{error};
      throw;
    }
    remembered.kept = true;
    return answer;
  }

  void open();
  void configure(Connection& connection) const;
  [[noreturn]] void resolve_doubt(const CommitUnknown& failed,
                                  const std::function<bool()>& was_applied);

  SqliteOptions options_;
  std::optional<Turnstile> turnstile_;  ///< created once the file is known to be ours
  std::unique_ptr<Connection> connection_;
  RowCache cache_;
};

}  // namespace pawl::sqlite
