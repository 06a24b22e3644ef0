#pragma once

/// A store with the model beside it: every verb is forwarded, told to the model once it was carried
/// out, and the rows are compared with what the model says must be there.
///
/// Put faults outside of it: it must see what really happened to the store. Threads: one at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pawl/store/store.hpp"
#include "simulation/model.hpp"

namespace pawl::simulation {

class ModelledStore final : public Store {
 public:
  /// An empty store.
  explicit ModelledStore(std::shared_ptr<Store> inner)
      : inner_(std::move(inner)), model_(inner_->records()) {}

  /// What model and store do not agree on, a sentence each; empty while all is well.
  [[nodiscard]] const std::vector<std::string>& differences() const { return model_.differences(); }
  /// Holds all rows against the model, not only those of the jobs that the last verb touched.
  void compare_everything() { model_.compare_everything(); }
  /// How many verbs were told to the model.
  [[nodiscard]] std::uint64_t verbs() const { return verbs_; }

  [[nodiscard]] const Clock& clock() const override { return inner_->clock(); }
  [[nodiscard]] Records& records() override { return inner_->records(); }
  Result<WorkerId> enlist(const WorkerHello& hello) override;
  Status renew(WorkerId worker) override;
  Status retire(WorkerId worker) override;
  Result<Job> create_job(const NewJob& job) override;
  Result<Added> add_items(const AddItems& chunk) override;
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override;
  Result<std::vector<LaneHead>> ready_lanes() override { return inner_->ready_lanes(); }
  Result<Claims> claim(const ClaimRequest& request) override;
  using Store::commit;
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override;
  Result<Swept> sweep(const SweepRequest& request) override;
  Result<Job> act(const Act& act) override;
  Result<Arriving> receive(const Arrival& arrival) override { return inner_->receive(arrival); }
  std::uint64_t change_mark() override { return inner_->change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override {
    return inner_->keep_payload(bytes);
  }
  Result<KeptFile> keep_file(const std::filesystem::path& path) override {
    return inner_->keep_file(path);
  }

 private:
  void compare();

  std::shared_ptr<Store> inner_;
  Model model_;
  std::uint64_t verbs_ = 0;
};

}  // namespace pawl::simulation
