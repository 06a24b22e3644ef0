#include "simulation/unfaithful_store.hpp"

#include <algorithm>

namespace pawl::simulation {

namespace {

bool is_unstorable(const Step& step) { return step.closed && step.closed->summary == unstorable; }

/// A chunk that owns its items.
struct OwnedChunk {
  explicit OwnedChunk(const AddItems& of) : items(of.items.begin(), of.items.end()), chunk(of) {}
  [[nodiscard]] AddItems whole() const {
    AddItems made = chunk;
    made.items = items;
    return made;
  }
  std::vector<NewItem> items;
  AddItems chunk;
};

}  // namespace

UnfaithfulStore::UnfaithfulStore(const ManualClock& clock, Open open, Kind kind)
    : clock_(clock), open_(std::move(open)), kind_(kind), inner_(empty_store()) {}

std::shared_ptr<ModelledStore> UnfaithfulStore::empty_store() {
  auto made = std::make_shared<ModelledStore>(open_(clock_));
  if (!kind_.is_modelled) made->leave_model_out();
  return made;
}

void UnfaithfulStore::forget(std::size_t calls) {
  story_.resize(story_.size() - std::min(calls, story_.size()));
  inner_ = empty_store();
  for (const auto& [at, call] : story_) {
    clock_.told_at = at;
    call(*inner_);
  }
  clock_.told_at = no_time;
  ++setbacks_;
}

template <class Verb>
auto UnfaithfulStore::carry_out(Verb verb) -> decltype(verb(std::declval<Store&>())) {
  if (kind_.may_forget) {
    story_.emplace_back(clock_.now(), [verb](Store& store) { (void)verb(store); });
  }
  return verb(*inner_);
}

Result<WorkerId> UnfaithfulStore::enlist(const WorkerHello& hello) {
  return carry_out([hello](Store& store) { return store.enlist(hello); });
}
Status UnfaithfulStore::renew(WorkerId worker, Timestamp holds_since) {
  return carry_out(
      [worker, holds_since](Store& store) { return store.renew(worker, holds_since); });
}
Status UnfaithfulStore::retire(WorkerId worker) {
  return carry_out([worker](Store& store) { return store.retire(worker); });
}
Result<Job> UnfaithfulStore::create_job(const NewJob& job) {
  return carry_out([job](Store& store) { return store.create_job(job); });
}
Result<Added> UnfaithfulStore::add_items(const AddItems& chunk) {
  return carry_out(
      [owned = OwnedChunk(chunk)](Store& store) { return store.add_items(owned.whole()); });
}
Result<Submitted> UnfaithfulStore::submit(const NewJob& job, const AddItems& items) {
  return carry_out(
      [job, owned = OwnedChunk(items)](Store& store) { return store.submit(job, owned.whole()); });
}
Result<Claims> UnfaithfulStore::claim(const ClaimRequest& request) {
  return carry_out([request](Store& store) { return store.claim(request); });
}
Result<Committed> UnfaithfulStore::commit(WorkerId worker, BatchNumber batch,
                                          std::span<const Step> steps, const Refill& refill) {
  if (std::ranges::any_of(steps, is_unstorable)) {
    return fail(ErrorCode::invalid, "no database takes this text");
  }
  return carry_out([worker, batch, owned = std::vector<Step>(steps.begin(), steps.end()),
                    refill](Store& store) { return store.commit(worker, batch, owned, refill); });
}
Result<Swept> UnfaithfulStore::sweep(const SweepRequest& request) {
  return carry_out([request](Store& store) { return store.sweep(request); });
}
Result<Job> UnfaithfulStore::act(const Act& act, const Actor& actor) {
  return carry_out([act, actor](Store& store) { return store.act(act, actor); });
}
Status UnfaithfulStore::change_people(const PeopleChange& change, const Actor& actor) {
  return carry_out([change, actor](Store& store) { return store.people().change(change, actor); });
}
Result<std::string> UnfaithfulStore::keep_payload(std::string_view bytes) {
  return carry_out(
      [owned = std::string(bytes)](Store& store) { return store.keep_payload(owned); });
}

}  // namespace pawl::simulation
