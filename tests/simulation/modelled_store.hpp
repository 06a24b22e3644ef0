#pragma once

/// A store with the model beside it: every verb is forwarded, told to the model once it was carried
/// out, and the rows are compared with what the model says must be there.
///
/// Put faults outside of it: it must see what really happened to the store. Threads: one at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulation/model.hpp"
#include "store/forwarding_store.hpp"

namespace pawl::simulation {

class ModelledStore final : public ForwardingStore {
 public:
  /// An empty store.
  explicit ModelledStore(std::shared_ptr<Store> inner)
      : ForwardingStore(std::move(inner)), model_(records()) {}

  /// What model and store do not agree on, a sentence each; empty while all is well.
  [[nodiscard]] const std::vector<std::string>& differences() const { return model_.differences(); }
  /// Holds all rows against the model, not only those of the jobs that the last verb touched.
  void compare_everything() { model_.compare_everything(); }
  /// For what the model does not know: from now on it is told nothing.
  void leave_model_out() { has_model_ = false; }
  /// How many verbs were told to the model.
  [[nodiscard]] std::uint64_t verbs() const { return verbs_; }

  Result<WorkerId> enlist(const WorkerHello& hello) override;
  using ForwardingStore::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override;
  Status retire(WorkerId worker) override;
  Result<Job> create_job(const NewJob& job) override;
  Result<Added> add_items(const AddItems& chunk) override;
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override;
  Result<Claims> claim(const ClaimRequest& request) override;
  using ForwardingStore::commit;
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override;
  Result<Swept> sweep(const SweepRequest& request) override;
  Result<Job> act(const Act& act) override;

 private:
  template <class Tell>
  void tell_model(Tell tell);

  Model model_;
  bool has_model_ = true;
  std::uint64_t verbs_ = 0;
};

}  // namespace pawl::simulation
