/// The store in one SQLite file. Every write is one turn: turnstile, BEGIN IMMEDIATE, the shared
/// ledger over SQLite's rows, COMMIT.

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "files/private_files.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/store/store.hpp"
#include "sql/due.hpp"
#include "sql/lane_heads.hpp"
#include "sql/people_rows.hpp"
#include "sql/records.hpp"
#include "sqlite/directories.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/paths.hpp"
#include "sqlite/preflight.hpp"
#include "sqlite/read_ports.hpp"
#include "sqlite/sqlite_rows.hpp"
#include "sqlite/workers_gone.hpp"
#include "sqlite/writer.hpp"
#include "store/ledger/ledger_store.hpp"
#include "store/no_such.hpp"
#include "store/valid_text_store.hpp"

namespace pawl {

namespace sqlite {

namespace {

constexpr char update_lease[] =
    "UPDATE workers SET lease_until = ?2 + lease, "
    "holds_since = CASE WHEN ?3 = 0 THEN holds_since ELSE ?3 END "
    "WHERE id = ?1 AND retired = 0 AND gone = 0";

class SqliteStore final : public store::LedgerStore {
 public:
  SqliteStore(const SqliteOptions& options, const Clock& clock)
      : path_(options.path),
        clock_(clock),
        locks_(options.path),
        payloads_(options.path),
        writer_(options),
        is_read_only_(options.read_only),
        readers_(options.path, patience_of(options),
                 options.read_only ? Connection::Mode::look : Connection::Mode::read_only),
        reads_(options.path, readers_),
        payload_reads_(options.path, payloads_),
        records_(reads_, payload_reads_) {}

  [[nodiscard]] const Clock& clock() const override { return clock_; }
  Records& records() override { return records_; }

  using Store::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override {
    return transact({}, [&](store::Rows&, Timestamp now) -> Status {
      if (writer_.connection().prepared(update_lease).run(worker, now, holds_since) == 0) {
        return store::no_such(worker);
      }
      return {};
    });
  }

  Result<std::vector<LaneHead>> ready_lanes() override {
    return guarded(path_, [&]() -> Result<std::vector<LaneHead>> {
      return readers_.read([](Connection& connection) {
        const Transaction snapshot(connection, Transaction::Kind::read);
        return sql::lane_heads(connection);
      });
    });
  }

  /// A file is not replaced under a process that has it open.
  [[nodiscard]] std::uint64_t setbacks() const override { return 0; }

  std::uint64_t change_mark() override {
    // A mark that changes once too often does no harm, so an error of the watcher is ignored.
    const auto version =
        guarded(path_, [&]() -> Result<std::int64_t> { return readers_.data_version(); });
    return (static_cast<std::uint64_t>(version.value_or(0)) << 32U) + commits_.load();
  }

  Result<std::string> keep_payload(std::string_view bytes) override {
    if (is_read_only_) return read_only();
    return guarded(path_, [&]() -> Result<std::string> { return payloads_.keep(bytes); });
  }
  Result<KeptFile> keep_stream(const ByteSource& source) override {
    if (is_read_only_) return read_only();
    return guarded(path_, [&] { return payloads_.keep_stream(source); });
  }

 private:
  [[nodiscard]] std::unexpected<Error> read_only() const {
    return pawl::fail(ErrorCode::refused, "'" + path_.string() + "' is read-only for this user",
                      "use a user who may write it");
  }

  Status transact(const store::Expected& expected, const Body& body) override {
    if (is_read_only_) return read_only();
    const std::lock_guard lock(mutex_);
    bool is_news = true;
    WorkerChanges workers;
    const Status written = guarded(path_, [&]() -> Status {
      const auto attempt = [&]() -> Status {
        const std::int64_t before = writer_.connection().rows_written();
        SqliteRows rows(writer_.connection(), writer_.cache(), locks_);
        const Status done = body(rows, now());
        if (!done) return done;
        rows.flush();
        workers = rows.worker_changes();
        // The lock is taken before the row becomes visible; the worker would look dead otherwise.
        for (const WorkerId worker : workers.enlisted) locks_.hold(worker);
        is_news = writer_.connection().rows_written() != before;
        return done;
      };
      return writer_.transaction(attempt, was_applied(expected));
    });
    if (written) {
      for (const WorkerId worker : workers.retired) locks_.release(worker);
      for (const WorkerId worker : workers.forgotten) locks_.remove(worker);
      if (is_news) ++commits_;
    } else {
      for (const WorkerId worker : workers.enlisted) locks_.release(worker);
    }
    return written;
  }

  Status read_people(const std::function<void(store::PeopleRows&)>& body) override {
    const std::optional<Error> failed = reads_.read([&](sql::Session& session) {
      sql::SqlPeopleRows rows(session);
      body(rows);
    });
    if (failed) return std::unexpected(*failed);
    return {};
  }

  Result<std::optional<Swept>> idle_sweep(const SweepRequest& request) override {
    return guarded(path_, [&]() -> Result<std::optional<Swept>> {
      const ReaderPool::Lease connection = readers_.borrow();
      const Timestamp at = now();
      if (sql::anything_due(*connection, at) ||
          !workers_gone(*connection, locks_, at, request.self).empty()) {
        return std::nullopt;
      }
      return Swept{.next_due = sql::earliest_due(*connection, at)};
    });
  }

  /// Whether a commit with an unknown outcome took place. Only batches have a number to look up.
  std::function<bool()> was_applied(const store::Expected& expected) {
    const auto* const batch = std::get_if<const store::StepBatch*>(&expected);
    if (batch == nullptr) return {};
    return [this, batch = *batch] { return was_written(batch->worker, batch->number); };
  }
  bool was_written(WorkerId worker, BatchNumber batch) {
    const std::optional<WorkerRecord> row = sql::worker_with_id(writer_.connection(), worker);
    return row && row->last_batch == batch;
  }

  // Set in the constructor.
  std::filesystem::path path_;
  const Clock& clock_;
  WorkerLocks locks_;
  PayloadFiles payloads_;

  std::mutex mutex_;  ///< one writer at a time in this process
  Writer writer_;     ///< guarded by mutex_

  std::atomic<std::uint64_t> commits_ = 0;
  const bool is_read_only_;
  ReaderPool readers_;
  PooledReads reads_;
  PayloadReads payload_reads_;
  sql::SqlRecords records_;
};

}  // namespace

}  // namespace sqlite

Result<std::shared_ptr<Store>> open_sqlite_store(const SqliteOptions& options, const Clock& clock) {
  return sqlite::guarded(options.path, [&]() -> Result<std::shared_ptr<Store>> {
    sqlite::check_place(options);
    // SQLite syncs the names of its files, but not the name of their directory.
    std::error_code ignored;
    if (!std::filesystem::exists(options.path, ignored)) {
      sqlite::sync_name_of_directory(options.path);
    }
    // SQLite gives what it makes beside a database the mode of the database.
    if (options.create && !options.read_only) (void)files::make_private_file(options.path);
    auto store = std::make_shared<sqlite::SqliteStore>(options, clock);
    // Earlier versions created these files with the umask. The owner may have opened them for
    // readers, so only write access is removed. Only now is the file known to be ours.
    if (!options.trust_owner && !options.read_only) {
      for (const std::string_view suffix : sqlite::store_suffixes) {
        files::deny_writing_to_others(sqlite::beside(options.path, suffix));
      }
    }
    return store::with_valid_text(std::move(store));
  });
}

}  // namespace pawl
