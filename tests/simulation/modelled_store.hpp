#pragma once

/// A store with the model beside it: every operation is forwarded and, once executed, reported to
/// the model; then the rows are compared with those that the model expects.
///
/// Put faults outside of it: it must see what really happened to the store. Threads: one at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulation/changed_people.hpp"
#include "simulation/model.hpp"
#include "store/forwarding_store.hpp"

namespace pawl::simulation {

class ModelledStore final : public store::ForwardingStore {
 public:
  /// An empty store.
  explicit ModelledStore(std::shared_ptr<Store> inner)
      : store::ForwardingStore(std::move(inner)), model_(records()) {}
  // Its people refer to it.
  ModelledStore(const ModelledStore&) = delete;
  ModelledStore& operator=(const ModelledStore&) = delete;

  /// The differences between model and store, one sentence each; empty if all is well.
  [[nodiscard]] const std::vector<std::string>& differences() const { return model_.differences(); }
  /// Compares all rows with the model, not only those of the jobs that the last operation touched.
  void compare_everything() { model_.compare_everything(); }
  /// For features that the model does not support: from now on nothing is reported to it.
  void leave_model_out() { has_model_ = false; }
  /// How many operations were reported to the model.
  [[nodiscard]] std::uint64_t verbs() const { return verbs_; }

  Result<WorkerId> enlist(const WorkerHello& hello) override;
  using store::ForwardingStore::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override;
  Status retire(WorkerId worker) override;
  Result<Job> create_job(const NewJob& job) override;
  Result<Added> add_items(const AddItems& chunk) override;
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override;
  Result<Claims> claim(const ClaimRequest& request) override;
  using store::ForwardingStore::commit;
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override;
  Result<Swept> sweep(const SweepRequest& request) override;
  using store::ForwardingStore::act;
  Result<Job> act(const Act& act, const Actor& actor) override;
  People& people() override { return people_; }

 private:
  [[nodiscard]] Status change_people(const PeopleChange& change, const Actor& actor);
  template <class Tell>
  void tell_model(Tell tell);

  Model model_;
  ChangedPeople people_{[this]() -> People& { return inner().people(); },
                        [this](const PeopleChange& change, const Actor& actor) {
                          return change_people(change, actor);
                        }};
  bool has_model_ = true;
  std::uint64_t verbs_ = 0;
};

}  // namespace pawl::simulation
