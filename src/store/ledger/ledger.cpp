#include "store/ledger/ledger.hpp"

#include <string>

#include "store/no_such.hpp"

namespace pawl::store {

namespace {

/// A batch comes a second time if its first answer was lost. Nothing of that answer is known any
/// more: the sender has to read back what the store has.
std::unexpected<Error> written_before(WorkerId worker, BatchNumber batch) {
  return fail(ErrorCode::unavailable, "batch " + std::to_string(batch) + " of worker " +
                                          std::to_string(worker.value()) + " was written before");
}

}  // namespace

Status Ledger::check_presence(WorkerId worker) {
  if (admission_.is_present(worker)) return {};
  return no_such(worker);
}

Status Ledger::check_opener(const AddItems& chunk) {
  return chunk.open_for ? check_presence(chunk.open_for) : Status();
}

std::vector<JobMark> Ledger::finish() {
  std::vector<JobMark> marks;
  marks.reserve(books_.touched().size());
  for (auto& [id, touched] : books_.touched()) {
    flow_.bring_up_to_date(touched);
    books_.log(id, touched.events);
    books_.rows().put_job(*touched.job);
    marks.push_back(
        {.job = id, .generation = touched.job->generation, .state = state_of(*touched.job)});
  }
  books_.audit().write();
  return marks;
}

Result<Job> Ledger::finish(const Result<Job>& answer) {
  if (!answer) return answer;
  finish();
  return *books_.rows().job(answer->id);
}

Result<Job> Ledger::create_job(const NewJob& fresh) {
  return finish(verb<Submission>().create_job(fresh));
}

Result<Added> Ledger::add_items(const AddItems& chunk) {
  if (const Status there = check_opener(chunk); !there) return std::unexpected(there.error());
  Result<Added> added = verb<Submission>().add_items(chunk);
  if (added) finish();
  return added;
}

Result<Submitted> Ledger::submit(const NewJob& fresh, const AddItems& chunk) {
  if (const Status there = check_opener(chunk); !there) return std::unexpected(there.error());
  Result<Submitted> submitted = verb<Submission>().submit(fresh, chunk);
  if (!submitted) return submitted;
  finish();
  submitted->job = *books_.rows().job(submitted->job.id);
  return submitted;
}

Result<Claims> Ledger::claim(const ClaimRequest& request) {
  if (const Status there = check_presence(request.worker); !there) {
    return std::unexpected(there.error());
  }
  Claims claims = verb<Claiming>().claim(request);
  finish();
  return claims;
}

Result<Committed> Ledger::commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                                 const Refill& refill) {
  const std::optional<WorkerRecord> self = books_.rows().worker(worker);
  if (self && batch != 0 && self->last_batch == batch) return written_before(worker, batch);
  Committed committed = verb<Claiming>().apply_and_refill(worker, steps, refill);
  committed.jobs = finish();
  if (self) books_.rows().put_last_batch(worker, batch);
  return committed;
}

Swept Ledger::sweep(const SweepRequest& request) {
  Swept swept = verb<Sweep>().sweep(request);
  finish();
  return swept;
}

Result<Job> Ledger::act(const Act& act, const Actor& actor) {
  return finish(verb<Operations>().act(act, actor));
}

Status Ledger::change(const PeopleChange& change, const Actor& actor) {
  const Status changed = verb<Registry>().change(change, actor);
  if (changed) books_.audit().write();
  return changed;
}

Result<Arriving> Ledger::receive(const Arrival& arrival) {
  Result<Arriving> at = verb<Arrivals>().receive(arrival);
  if (at) books_.audit().write();
  return at;
}

}  // namespace pawl::store
