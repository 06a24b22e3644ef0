#include "simulation/modelled_store.hpp"

namespace pawl::simulation {

namespace {

/// Whether the store could not answer at all; then nothing was done.
template <class T>
bool is_unavailable(const Result<T>& done) {
  return !done && done.error().code == ErrorCode::unavailable;
}

}  // namespace

void ModelledStore::compare() {
  ++verbs_;
  model_.compare();
}

Result<WorkerId> ModelledStore::enlist(const WorkerHello& hello) {
  const Timestamp at = now();
  Result<WorkerId> done = inner().enlist(hello);
  if (done) model_.enlisted(*done, hello, at);
  compare();
  return done;
}

Status ModelledStore::renew(WorkerId worker) {
  const Timestamp at = now();
  Status done = inner().renew(worker);
  if (!is_unavailable(done)) model_.renewed(worker, done, at);
  compare();
  return done;
}

Status ModelledStore::retire(WorkerId worker) {
  Status done = inner().retire(worker);
  model_.retired(worker, done);
  compare();
  return done;
}

Result<Job> ModelledStore::create_job(const NewJob& job) {
  const Timestamp at = now();
  Result<Job> done = inner().create_job(job);
  if (done) model_.created(job, *done, at);
  compare();
  return done;
}

Result<Added> ModelledStore::add_items(const AddItems& chunk) {
  const Timestamp at = now();
  Result<Added> done = inner().add_items(chunk);
  if (!is_unavailable(done)) model_.added(chunk, chunk.job, done, at);
  compare();
  return done;
}

Result<Submitted> ModelledStore::submit(const NewJob& job, const AddItems& items) {
  const Timestamp at = now();
  Result<Submitted> done = inner().submit(job, items);
  if (done && model_.created(job, done->job, at)) {
    model_.added(items, done->job.id, done->items, at);
  }
  compare();
  return done;
}

Result<Claims> ModelledStore::claim(const ClaimRequest& request) {
  const Timestamp at = now();
  Result<Claims> done = inner().claim(request);
  if (!is_unavailable(done)) model_.claimed(request, done, at);
  compare();
  return done;
}

Result<Committed> ModelledStore::commit(WorkerId worker, BatchNumber batch,
                                        std::span<const Step> steps, const Refill& refill) {
  const Timestamp at = now();
  Result<Committed> done = inner().commit(worker, batch, steps, refill);
  if (done) model_.committed(worker, batch, steps, refill, *done, at);
  compare();
  return done;
}

Result<Swept> ModelledStore::sweep(const SweepRequest& request) {
  const Timestamp at = now();
  Result<Swept> done = inner().sweep(request);
  if (done) model_.swept(request, *done, at);
  compare();
  return done;
}

Result<Job> ModelledStore::act(const Act& act) {
  const Timestamp at = now();
  Result<Job> done = inner().act(act);
  if (!is_unavailable(done)) model_.acted(act, done, at);
  compare();
  return done;
}

}  // namespace pawl::simulation
