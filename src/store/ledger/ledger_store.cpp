#include "store/ledger/ledger_store.hpp"

#include <utility>

#include "store/no_such.hpp"

namespace pawl::store {

/// One transaction around one verb of the ledger.
template <class Answer, class Verb>
Result<Answer> LedgerStore::write(const Expected& expected, Verb verb) {
  std::optional<Result<Answer>> answer;
  const Status written = transact(expected, [&](Rows& rows, Timestamp now) -> Status {
    Ledger ledger(rows, now);
    answer.emplace(verb(ledger));
    if (!*answer) return std::unexpected(answer->error());
    return {};
  });
  if (!written) return std::unexpected(written.error());
  return *std::move(answer);
}

Result<WorkerId> LedgerStore::enlist(const WorkerHello& hello) {
  WorkerId enlisted;
  const Status written = transact({}, [&](Rows& rows, Timestamp now) -> Status {
    enlisted = rows.insert_worker({.host = hello.host,
                                   .pid = hello.pid,
                                   .name = hello.name,
                                   .started_at = now,
                                   .lease_until = now + hello.lease,
                                   .limits = hello.limits});
    return {};
  });
  if (!written) return std::unexpected(written.error());
  return enlisted;
}

Status LedgerStore::note_limits(WorkerId worker, const WorkerLimits& limits) {
  return transact({}, [&](Rows& rows, Timestamp) -> Status {
    if (!rows.put_limits(worker, limits)) return no_such(worker);
    return {};
  });
}

Status LedgerStore::retire(WorkerId worker) {
  return transact({}, [&](Rows& rows, Timestamp) -> Status {
    if (!rows.retire_worker(worker)) return no_such(worker);
    return {};
  });
}

Result<Job> LedgerStore::create_job(const NewJob& job) {
  return write<Job>({}, [&](Ledger& ledger) { return ledger.create_job(job); });
}

Result<Added> LedgerStore::add_items(const AddItems& chunk) {
  return write<Added>(&chunk, [&](Ledger& ledger) { return ledger.add_items(chunk); });
}

Result<Submitted> LedgerStore::submit(const NewJob& job, const AddItems& items) {
  return write<Submitted>(&items, [&](Ledger& ledger) { return ledger.submit(job, items); });
}

Result<Claims> LedgerStore::claim(const ClaimRequest& request) {
  return write<Claims>(&request, [&](Ledger& ledger) { return ledger.claim(request); });
}

Result<Committed> LedgerStore::commit(WorkerId worker, BatchNumber batch,
                                      std::span<const Step> steps, const Refill& refill) {
  const StepBatch expected{.worker = worker, .number = batch, .steps = steps, .refill = &refill};
  return write<Committed>(
      &expected, [&](Ledger& ledger) { return ledger.commit(worker, batch, steps, refill); });
}

Result<std::optional<Swept>> LedgerStore::idle_sweep(const SweepRequest&) { return std::nullopt; }

Result<Swept> LedgerStore::sweep(const SweepRequest& request) {
  const Result<std::optional<Swept>> idle = idle_sweep(request);
  if (!idle) return std::unexpected(idle.error());
  if (*idle) return **idle;
  return write<Swept>({}, [&](Ledger& ledger) { return Result<Swept>(ledger.sweep(request)); });
}

Result<Job> LedgerStore::act(const Act& act) {
  return write<Job>({}, [&](Ledger& ledger) { return ledger.act(act); });
}

Result<Arriving> LedgerStore::receive(const Arrival& arrival) {
  return write<Arriving>({}, [&](Ledger& ledger) { return ledger.receive(arrival); });
}

}  // namespace pawl::store
