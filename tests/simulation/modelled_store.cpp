#include "simulation/modelled_store.hpp"

namespace pawl::simulation {

namespace {

/// Whether the store could not answer at all; then nothing was executed.
template <class T>
bool is_unavailable(const Result<T>& done) {
  return !done && done.error().code == ErrorCode::unavailable;
}

}  // namespace

template <class Tell>
void ModelledStore::tell_model(Tell tell) {
  if (!has_model_) return;
  tell();
  ++verbs_;
  model_.compare();
}

Result<WorkerId> ModelledStore::enlist(const WorkerHello& hello) {
  const Timestamp at = now();
  Result<WorkerId> done = inner().enlist(hello);
  tell_model([&] {
    if (done) model_.enlisted(*done, hello, at);
  });
  return done;
}

Status ModelledStore::renew(WorkerId worker, Timestamp holds_since) {
  const Timestamp at = now();
  Status done = inner().renew(worker, holds_since);
  tell_model([&] {
    if (!is_unavailable(done)) model_.renewed(worker, done, at);
  });
  return done;
}

Status ModelledStore::retire(WorkerId worker) {
  Status done = inner().retire(worker);
  tell_model([&] { model_.retired(worker, done); });
  return done;
}

Result<Job> ModelledStore::create_job(const NewJob& job) {
  const Timestamp at = now();
  Result<Job> done = inner().create_job(job);
  tell_model([&] {
    if (!is_unavailable(done)) (void)model_.created(job, done, at);
  });
  return done;
}

Result<Added> ModelledStore::add_items(const AddItems& chunk) {
  const Timestamp at = now();
  Result<Added> done = inner().add_items(chunk);
  tell_model([&] {
    if (!is_unavailable(done)) model_.added(chunk, chunk.job, done, at);
  });
  return done;
}

Result<Submitted> ModelledStore::submit(const NewJob& job, const AddItems& items) {
  const Timestamp at = now();
  Result<Submitted> done = inner().submit(job, items);
  tell_model([&] {
    if (!done && done.error().code == ErrorCode::forbidden) {
      (void)model_.created(job, std::unexpected(done.error()), at);
    } else if (done && model_.created(job, done->job, at)) {
      model_.added(items, done->job.id, done->items, at);
    }
  });
  return done;
}

Result<Claims> ModelledStore::claim(const ClaimRequest& request) {
  const Timestamp at = now();
  Result<Claims> done = inner().claim(request);
  tell_model([&] {
    if (!is_unavailable(done)) model_.claimed(request, done, at);
  });
  return done;
}

Result<Committed> ModelledStore::commit(WorkerId worker, BatchNumber batch,
                                        std::span<const Step> steps, const Refill& refill) {
  const Timestamp at = now();
  Result<Committed> done = inner().commit(worker, batch, steps, refill);
  tell_model([&] {
    if (done) model_.committed(worker, batch, steps, refill, *done, at);
  });
  return done;
}

Result<Swept> ModelledStore::sweep(const SweepRequest& request) {
  const Timestamp at = now();
  Result<Swept> done = inner().sweep(request);
  tell_model([&] {
    if (done) model_.swept(request, *done, at);
  });
  return done;
}

Result<Job> ModelledStore::act(const Act& act, const Actor& actor) {
  const Timestamp at = now();
  Result<Job> done = inner().act(act, actor);
  tell_model([&] {
    if (!is_unavailable(done)) model_.acted(act, actor, done, at);
  });
  return done;
}

Status ModelledStore::change_people(const PeopleChange& change, const Actor& actor) {
  const Timestamp at = now();
  Status done = inner().people().change(change, actor);
  tell_model([&] {
    if (!is_unavailable(done)) model_.changed(change, actor, done, at);
  });
  return done;
}

}  // namespace pawl::simulation
