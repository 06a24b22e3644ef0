#pragma once

/// A store whose process dies in the middle of an import.

#include <memory>
#include <utility>

#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl::driving {

class MortalStore final : public Store {
 public:
  explicit MortalStore(Store& inner) : inner_(inner) {}
  int lives = 0;               ///< pieces of an arrival that are taken before it dies
  bool dies_after_it = false;  ///< the piece after them is written, and nobody learns of it

  Result<Arriving> receive(const Arrival& arrival) override {
    if (lives-- > 0) return inner_.receive(arrival);
    if (lives == -1 && dies_after_it) (void)inner_.receive(arrival);
    return fail(ErrorCode::unavailable, "the process died");
  }

  [[nodiscard]] const Clock& clock() const override { return inner_.clock(); }
  Records& records() override { return inner_.records(); }
  Result<WorkerId> enlist(const WorkerHello& hello) override { return inner_.enlist(hello); }
  Status renew(WorkerId worker) override { return inner_.renew(worker); }
  Status retire(WorkerId worker) override { return inner_.retire(worker); }
  Result<Job> create_job(const NewJob& job) override { return inner_.create_job(job); }
  Result<Added> add_items(const AddItems& items) override { return inner_.add_items(items); }
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    return inner_.submit(job, items);
  }
  Result<std::vector<LaneHead>> ready_lanes() override { return inner_.ready_lanes(); }
  Result<Claims> claim(const ClaimRequest& request) override { return inner_.claim(request); }
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    return inner_.commit(worker, batch, steps, refill);
  }
  Result<Swept> sweep(const SweepRequest& request) override { return inner_.sweep(request); }
  Result<Job> act(const Act& act) override { return inner_.act(act); }
  std::uint64_t change_mark() override { return inner_.change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override {
    return inner_.keep_payload(bytes);
  }
  Result<KeptFile> keep_file(const std::filesystem::path& path) override {
    return inner_.keep_file(path);
  }

 private:
  Store& inner_;
};

}  // namespace pawl::driving
