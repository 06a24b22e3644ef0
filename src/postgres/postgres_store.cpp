/// The store in a PostgreSQL database. Every write is one transaction: the shared ledger over
/// PostgreSQL's rows (see postgres_rows.hpp for its two rules, writer.hpp for what happens when
/// the connection breaks).

#include <atomic>
#include <mutex>
#include <string>

#include "pawl/store/postgres.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"
#include "postgres/faults.hpp"
#include "postgres/listener.hpp"
#include "postgres/payload_pieces.hpp"
#include "postgres/polling.hpp"
#include "postgres/readers.hpp"
#include "postgres/server_clock.hpp"
#include "postgres/writer.hpp"
#include "sql/due.hpp"
#include "sql/records.hpp"
#include "store/ledger.hpp"
#include "store/no_such.hpp"
#include "store/valid_text_store.hpp"
#include "store/written_before.hpp"

namespace pawl {

namespace postgres {

namespace {

constexpr char update_lease[] =
    "UPDATE workers SET lease_until = $2 + lease, "
    "holds_since = CASE WHEN $3 = 0 THEN holds_since ELSE $3 END "
    "WHERE id = $1 AND retired = 0 AND gone = 0";
constexpr char update_retired[] = "UPDATE workers SET retired = 1 WHERE id = $1";

class PostgresStore final : public Store {
 public:
  PostgresStore(const PostgresOptions& options, const Address& address, const Clock* clock)
      : address_(address),
        clock_(clock == nullptr ? server_clock_ : *clock),
        dialer_(address, options.answer_within),
        writer_(dialer_, options.create, options.migrate, server_clock_),
        readers_(dialer_),
        payloads_(address, readers_),
        records_(readers_, payloads_),
        listener_(dialer_, options.look_every, server_clock_) {}

  [[nodiscard]] const Clock& clock() const override { return clock_; }
  Records& records() override { return records_; }

  Result<WorkerId> enlist(const WorkerHello& hello) override {
    return write([&](PostgresRows& rows, Ledger&) -> Result<WorkerId> {
      const Timestamp at = now();
      return rows.insert_worker({.host = hello.host,
                                 .pid = hello.pid,
                                 .name = hello.name,
                                 .started_at = at,
                                 .lease_until = at + hello.lease});
    });
  }

  /// Beside the writer: a commit that waits for its turn does not let the lease run out.
  Status renew(WorkerId worker, Timestamp holds_since) override {
    return guarded(address_, [&]() -> Status {
      std::int64_t renewed = 0;
      readers_.write([&](Connection& connection) {
        renewed =
            connection.ask(update_lease, Parameters::of(worker, now(), holds_since)).changed();
      });
      if (renewed == 0) return no_such(worker);
      return {};
    });
  }

  Status retire(WorkerId worker) override {
    return write([&](PostgresRows& rows, Ledger&) -> Status {
      if (rows.run(update_retired, Parameters::of(worker)) == 0) return no_such(worker);
      return {};
    });
  }

  Result<Job> create_job(const NewJob& job) override {
    return write_job([&](PostgresRows&, Ledger& ledger) { return ledger.create_job(job); });
  }

  Result<Added> add_items(const AddItems& chunk) override {
    return write([&](PostgresRows& rows, Ledger& ledger) -> Result<Added> {
      rows.expect(chunk);
      if (chunk.open_for && !is_present(rows, chunk.open_for)) return no_such(chunk.open_for);
      Result<Added> added = ledger.add_items(chunk);
      if (added) (void)ledger.finish();
      return added;
    });
  }

  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    return write([&](PostgresRows& rows, Ledger& ledger) -> Result<Submitted> {
      rows.expect(items);
      if (items.open_for && !is_present(rows, items.open_for)) return no_such(items.open_for);
      Result<Submitted> submitted = ledger.submit(job, items);
      if (!submitted) return submitted;
      (void)ledger.finish();
      submitted->job = *rows.job(submitted->job.id);
      return submitted;
    });
  }

  Result<std::vector<LaneHead>> ready_lanes() override {
    std::vector<LaneHead> heads;
    if (const auto failed =
            readers_.read([&](sql::Session& session) { heads = lane_heads(session); })) {
      return std::unexpected(*failed);
    }
    return heads;
  }

  Result<Claims> claim(const ClaimRequest& request) override {
    const auto expect = [&](PostgresRows& rows) { rows.expect(request); };
    return write(expect, [&](PostgresRows& rows, Ledger& ledger) -> Result<Claims> {
      // What a swept worker opened would never be swept again.
      if (!is_present(rows, request.worker)) return no_such(request.worker);
      Claims claims = ledger.claim(request);
      (void)ledger.finish();
      return claims;
    });
  }

  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    const auto expect = [&](PostgresRows& rows) { rows.expect(worker, steps, refill); };
    return write(expect, [&](PostgresRows& rows, Ledger& ledger) -> Result<Committed> {
      std::optional<WorkerRecord> self = rows.worker(worker);
      if (self && batch != 0 && self->last_batch == batch) return written_before(worker, batch);
      Committed committed = ledger.commit(worker, steps, refill);
      if (self) rows.put_last_batch(worker, batch);
      return committed;
    });
  }

  Result<Swept> sweep(const SweepRequest& request) override {
    std::optional<Swept> idle;
    if (const auto failed = readers_.read([&](sql::Session& session) {
          idle = nothing_to_sweep(session, now(), request.self);
        })) {
      return std::unexpected(*failed);
    }
    if (idle) return *idle;
    return write([&](PostgresRows&, Ledger& ledger) -> Result<Swept> {
      Swept swept = ledger.sweep(request);
      (void)ledger.finish();
      return swept;
    });
  }

  Result<Job> act(const Act& act) override {
    return write_job([&](PostgresRows&, Ledger& ledger) { return ledger.act(act); });
  }

  Result<Arriving> receive(const Arrival& arrival) override {
    return write([&](PostgresRows&, Ledger& ledger) { return ledger.receive(arrival); });
  }

  [[nodiscard]] std::uint64_t setbacks() const override { return writer_.setbacks(); }

  std::uint64_t change_mark() override {
    return (listener_.mark() << 32U) + (commits_.load() & 0xFFFF'FFFFU);
  }

  Result<std::string> keep_payload(std::string_view bytes) override {
    return payloads_.keep(bytes);
  }
  Result<KeptFile> keep_stream(const ByteSource& source) override {
    return payloads_.keep_stream(source);
  }

 private:
  /// One write transaction. An error that `body` answers, or that is thrown in it, rolls back.
  template <class Body>
  auto write(Body body) -> std::invoke_result_t<Body, PostgresRows&, Ledger&> {
    return write([](PostgresRows&) {}, body);
  }
  /// The same; `expect` tells the rows first what will be asked for.
  template <class Expect, class Body>
  auto write(Expect expect, Body body) -> std::invoke_result_t<Body, PostgresRows&, Ledger&> {
    using Answer = std::invoke_result_t<Body, PostgresRows&, Ledger&>;
    const std::lock_guard lock(mutex_);
    Answer written = guarded(address_, [&]() -> Answer {
      bool is_news = false;
      Answer answer = writer_.transaction([&](PostgresRows& rows) -> Answer {
        expect(rows);
        // Exact, where the machines only know it to within what an answer takes: no retry is early.
        Ledger ledger(rows, &clock_ == &server_clock_ ? rows.server_time() : now());
        Answer made = body(rows, ledger);
        is_news = rows.has_news();
        return made;
      });
      if (answer && is_news) {
        ++commits_;
        if (!listener_.tell()) writer_.post(notify_channel, Parameters::of(channel_of(address_)));
      }
      return answer;
    });
    return written;
  }

  /// For verbs that answer a job: as it is when the transaction ends.
  template <class Verb>
  Result<Job> write_job(Verb verb) {
    return write([&](PostgresRows& rows, Ledger& ledger) -> Result<Job> {
      const Result<Job> answer = verb(rows, ledger);
      if (!answer) return answer;
      (void)ledger.finish();
      return *rows.job(answer->id);
    });
  }

  static bool is_present(PostgresRows& rows, WorkerId worker) {
    const std::optional<WorkerRecord> row = rows.worker(worker);
    return row && !row->retired;
  }

  // Set in the constructor.
  Address address_;
  ServerClock server_clock_;
  const Clock& clock_;
  Dialer dialer_;
  std::mutex mutex_;
  Writer writer_;  ///< guarded by mutex_

  // Have locks of their own.
  Readers readers_;
  PayloadPieces payloads_;
  sql::SqlRecords records_;
  Listener listener_;
  std::atomic<std::uint64_t> commits_ = 0;
};

Result<std::shared_ptr<Store>> open(const PostgresOptions& options, const Clock* clock) {
  const Result<Address> address = read_address(options.url);
  if (!address) return std::unexpected(address.error());
  const auto make = [&]() -> Result<std::shared_ptr<Store>> {
    return with_valid_text(std::make_shared<PostgresStore>(options, *address, clock));
  };
  return guarded(*address, make, opening_error_of);
}

}  // namespace

}  // namespace postgres

bool is_postgres_url(std::string_view address) {
  return address.starts_with("postgres://") || address.starts_with("postgresql://");
}

Result<std::shared_ptr<Store>> open_postgres_store(const PostgresOptions& options) {
  return postgres::open(options, nullptr);
}

Result<std::shared_ptr<Store>> open_postgres_store(const PostgresOptions& options,
                                                   const Clock& clock) {
  return postgres::open(options, &clock);
}

}  // namespace pawl
