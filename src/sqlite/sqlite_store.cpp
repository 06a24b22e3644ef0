/// The store in one SQLite file. Every write is one turn: turnstile, BEGIN IMMEDIATE, the shared
/// ledger over SQLite's rows, COMMIT.

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "pawl/store/records.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/store/store.hpp"
#include "sql/due.hpp"
#include "sql/lane_heads.hpp"
#include "sql/records.hpp"
#include "sqlite/directories.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/paths.hpp"
#include "sqlite/preflight.hpp"
#include "sqlite/read_ports.hpp"
#include "sqlite/sqlite_rows.hpp"
#include "sqlite/workers_gone.hpp"
#include "sqlite/writer.hpp"
#include "store/ledger.hpp"
#include "store/no_such.hpp"
#include "store/private_files.hpp"
#include "store/valid_text_store.hpp"
#include "store/written_before.hpp"

namespace pawl {

namespace sqlite {

namespace {

constexpr char update_lease[] =
    "UPDATE workers SET lease_until = ?2 + lease, "
    "holds_since = CASE WHEN ?3 = 0 THEN holds_since ELSE ?3 END "
    "WHERE id = ?1 AND retired = 0 AND gone = 0";
constexpr char update_retired[] = "UPDATE workers SET retired = 1 WHERE id = ?1";
constexpr char update_last_batch[] =
    "UPDATE workers SET last_batch = ?2 WHERE id = ?1 AND last_batch <> ?2";
constexpr char select_is_present[] =
    "SELECT 1 FROM workers WHERE id = ?1 AND retired = 0 AND gone = 0";

class SqliteStore final : public Store {
 public:
  SqliteStore(const SqliteOptions& options, const Clock& clock)
      : path_(options.path),
        clock_(clock),
        locks_(options.path),
        payloads_(options.path),
        writer_(options),
        readers_(options.path, patience_of(options)),
        reads_(options.path, readers_),
        payload_reads_(options.path, payloads_),
        records_(reads_, payload_reads_) {}

  [[nodiscard]] const Clock& clock() const override { return clock_; }
  Records& records() override { return records_; }

  Result<WorkerId> enlist(const WorkerHello& hello) override {
    WorkerId held;
    Result<WorkerId> enlisted = write([&](SqliteRows& rows, Ledger&) -> Result<WorkerId> {
      const Timestamp at = now();
      held = rows.insert_worker({.host = hello.host,
                                 .pid = hello.pid,
                                 .name = hello.name,
                                 .started_at = at,
                                 .lease_until = at + hello.lease});
      locks_.hold(held);
      return held;
    });
    if (!enlisted && held) locks_.release(held);
    return enlisted;
  }

  Status renew(WorkerId worker, Timestamp holds_since) override {
    return write([&](SqliteRows&, Ledger&) -> Status {
      if (writer_.connection().prepared(update_lease).run(worker, now(), holds_since) == 0) {
        return no_such(worker);
      }
      return {};
    });
  }

  Status retire(WorkerId worker) override {
    const Status retired = write([&](SqliteRows&, Ledger&) -> Status {
      if (writer_.connection().prepared(update_retired).run(worker) == 0) return no_such(worker);
      return {};
    });
    if (retired) locks_.release(worker);
    return retired;
  }

  Result<Job> create_job(const NewJob& job) override {
    return write_job([&](Ledger& ledger) { return ledger.create_job(job); });
  }

  Result<Added> add_items(const AddItems& chunk) override {
    return write([&](SqliteRows&, Ledger& ledger) -> Result<Added> {
      if (chunk.open_for && !is_present(chunk.open_for)) return no_such(chunk.open_for);
      Result<Added> added = ledger.add_items(chunk);
      if (added) (void)ledger.finish();
      return added;
    });
  }

  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    return write([&](SqliteRows& rows, Ledger& ledger) -> Result<Submitted> {
      if (items.open_for && !is_present(items.open_for)) return no_such(items.open_for);
      Result<Submitted> submitted = ledger.submit(job, items);
      if (!submitted) return submitted;
      (void)ledger.finish();
      submitted->job = *rows.job(submitted->job.id);
      return submitted;
    });
  }

  Result<std::vector<LaneHead>> ready_lanes() override {
    return guarded(path_, [&]() -> Result<std::vector<LaneHead>> {
      const ReaderPool::Lease connection = readers_.borrow();
      const Transaction snapshot(*connection, Transaction::Kind::read);
      return sql::lane_heads(*connection);
    });
  }

  Result<Claims> claim(const ClaimRequest& request) override {
    return write([&](SqliteRows&, Ledger& ledger) -> Result<Claims> {
      // What a swept worker opened would never be swept again.
      if (!is_present(request.worker)) return no_such(request.worker);
      Claims claims = ledger.claim(request);
      (void)ledger.finish();
      return claims;
    });
  }

  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    return write(
        [&](SqliteRows&, Ledger& ledger) -> Result<Committed> {
          const bool is_noted =
              writer_.connection().prepared(update_last_batch).run(worker, batch) > 0;
          if (!is_noted && batch != 0 && was_written(worker, batch)) {
            return written_before(worker, batch);
          }
          return ledger.commit(worker, steps, refill);
        },
        [&] { return was_written(worker, batch); });
  }

  Result<Swept> sweep(const SweepRequest& request) override {
    const auto idle = guarded(path_, [&]() -> Result<std::optional<Swept>> {
      const ReaderPool::Lease connection = readers_.borrow();
      const Timestamp at = now();
      if (sql::anything_due(*connection, at) ||
          !workers_gone(*connection, locks_, at, request.self).empty()) {
        return std::nullopt;
      }
      return Swept{.next_due = sql::earliest_due(*connection, at)};
    });
    if (!idle) return std::unexpected(idle.error());
    if (*idle) return **idle;
    std::vector<WorkerId> forgotten;
    Result<Swept> swept = write([&](SqliteRows& rows, Ledger& ledger) -> Result<Swept> {
      Swept answer = ledger.sweep(request);
      (void)ledger.finish();
      forgotten = rows.forgotten();
      return answer;
    });
    if (swept) {
      for (const WorkerId worker : forgotten) locks_.remove(worker);
    }
    return swept;
  }

  Result<Job> act(const Act& act) override {
    return write_job([&](Ledger& ledger) { return ledger.act(act); });
  }

  Result<Arriving> receive(const Arrival& arrival) override {
    return write([&](SqliteRows&, Ledger& ledger) { return ledger.receive(arrival); });
  }

  /// A file is not replaced under a process that has it open.
  [[nodiscard]] std::uint64_t setbacks() const override { return 0; }

  std::uint64_t change_mark() override {
    // A mark that changes once too often does no harm, so an error of the watcher is none.
    const auto version =
        guarded(path_, [&]() -> Result<std::int64_t> { return readers_.data_version(); });
    return (static_cast<std::uint64_t>(version.value_or(0)) << 32U) + commits_.load();
  }

  Result<std::string> keep_payload(std::string_view bytes) override {
    return guarded(path_, [&]() -> Result<std::string> { return payloads_.keep(bytes); });
  }
  Result<KeptFile> keep_stream(const ByteSource& source) override {
    return guarded(path_, [&] { return payloads_.keep_stream(source); });
  }

 private:
  /// One write transaction. An error that `body` answers, or that is thrown in it, rolls back.
  /// `was_applied` is asked when only the disk knows whether the commit took place.
  template <class Body>
  auto write(Body body, const std::function<bool()>& was_applied = {})
      -> std::invoke_result_t<Body, SqliteRows&, Ledger&> {
    using Answer = std::invoke_result_t<Body, SqliteRows&, Ledger&>;
    const std::lock_guard lock(mutex_);
    bool is_news = true;
    Answer written = guarded(path_, [&]() -> Answer {
      const auto verbs = [&]() -> Answer {
        const std::int64_t before = writer_.connection().rows_written();
        SqliteRows rows(writer_.connection(), writer_.cache(), locks_);
        Ledger ledger(rows, now());
        Answer answer = body(rows, ledger);
        if (answer) rows.flush();
        is_news = writer_.connection().rows_written() != before;
        return answer;
      };
      return writer_.transaction(verbs, was_applied);
    });
    if (written && is_news) ++commits_;
    return written;
  }

  /// For verbs that answer a job: as it is when the transaction ends.
  template <class Verb>
  Result<Job> write_job(Verb verb) {
    return write([&](SqliteRows& rows, Ledger& ledger) -> Result<Job> {
      const Result<Job> answer = verb(ledger);
      if (!answer) return answer;
      (void)ledger.finish();
      return *rows.job(answer->id);
    });
  }

  bool is_present(WorkerId worker) {
    return writer_.connection().prepared(select_is_present).query(worker).next();
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
    // SQLite syncs the names of its files, and nobody the name of the directory that they stand in.
    std::error_code ignored;
    if (!std::filesystem::exists(options.path, ignored)) {
      sqlite::sync_name_of_directory(options.path);
    }
    // SQLite gives what it makes beside a database the mode of the database.
    if (options.create) (void)make_private_file(options.path);
    auto store = std::make_shared<sqlite::SqliteStore>(options, clock);
    // Versions before left it to the umask who may read. Only now is the file known to be ours.
    if (!options.trust_owner) {
      for (const std::string_view suffix : sqlite::store_suffixes) {
        close_to_others(sqlite::beside(options.path, suffix));
      }
    }
    return with_valid_text(std::move(store));
  });
}

}  // namespace pawl
