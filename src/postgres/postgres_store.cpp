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
#include "sql/people_rows.hpp"
#include "sql/records.hpp"
#include "store/ledger/ledger_store.hpp"
#include "store/no_such.hpp"
#include "store/valid_text_store.hpp"

namespace pawl {

namespace postgres {

namespace {

constexpr char update_lease[] =
    "UPDATE workers SET lease_until = $2 + lease, "
    "holds_since = CASE WHEN $3 = 0 THEN holds_since ELSE $3 END "
    "WHERE id = $1 AND retired = 0 AND gone = 0";

class PostgresStore final : public store::LedgerStore {
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

  using Store::renew;
  /// On a connection of its own: a commit that waits for its turn does not let the lease run out.
  Status renew(WorkerId worker, Timestamp holds_since) override {
    return guarded(address_, [&]() -> Status {
      std::int64_t renewed = 0;
      readers_.write([&](Connection& connection) {
        renewed =
            connection.ask(update_lease, Parameters::of(worker, now(), holds_since)).changed();
      });
      if (renewed == 0) return store::no_such(worker);
      return {};
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
  Status transact(const store::Expected& expected, const Body& body) override {
    const std::lock_guard lock(mutex_);
    return guarded(address_, [&]() -> Status {
      bool is_news = false;
      const Status written = writer_.transaction([&](PostgresRows& rows) -> Status {
        rows.expect(expected);
        // The server's time is exact, where machines know it only roughly: no retry is early.
        const Status done = body(rows, &clock_ == &server_clock_ ? rows.server_time() : now());
        is_news = rows.has_news();
        return done;
      });
      if (written && is_news) {
        ++commits_;
        if (!listener_.tell()) writer_.post(notify_channel, Parameters::of(channel_of(address_)));
      }
      return written;
    });
  }

  Status read_people(const std::function<void(store::PeopleRows&)>& body) override {
    const std::optional<Error> failed = readers_.read([&](sql::Session& session) {
      sql::SqlPeopleRows rows(session);
      body(rows);
    });
    if (failed) return std::unexpected(*failed);
    return {};
  }

  Result<std::optional<Swept>> idle_sweep(const SweepRequest& request) override {
    std::optional<Swept> idle;
    if (const auto failed = readers_.read([&](sql::Session& session) {
          idle = nothing_to_sweep(session, now(), request.self);
        })) {
      return std::unexpected(*failed);
    }
    return idle;
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
    return store::with_valid_text(std::make_shared<PostgresStore>(options, *address, clock));
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
