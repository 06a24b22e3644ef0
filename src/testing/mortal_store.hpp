#pragma once

/// A store as one simulated process sees it: once the process is dead, nothing it does reaches the
/// store.

#include <memory>
#include <utility>

#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl::testing {

class MortalStore final : public Store {
 public:
  /// The process is dead once `*alive` is false.
  MortalStore(std::shared_ptr<Store> inner, std::shared_ptr<const bool> alive)
      : inner_(std::move(inner)), alive_(std::move(alive)) {}

  [[nodiscard]] const Clock& clock() const override { return inner_->clock(); }
  Records& records() override { return inner_->records(); }
  Result<WorkerId> enlist(const WorkerHello& hello) override {
    return *alive_ ? inner_->enlist(hello) : dead();
  }
  using Store::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override {
    return *alive_ ? inner_->renew(worker, holds_since) : dead();
  }
  Status note_limits(WorkerId worker, const WorkerLimits& limits) override {
    return *alive_ ? inner_->note_limits(worker, limits) : dead();
  }
  Status retire(WorkerId worker) override { return *alive_ ? inner_->retire(worker) : dead(); }
  Result<Job> create_job(const NewJob& job) override {
    return *alive_ ? inner_->create_job(job) : dead();
  }
  Result<Added> add_items(const AddItems& chunk) override {
    return *alive_ ? inner_->add_items(chunk) : dead();
  }
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    return *alive_ ? inner_->submit(job, items) : dead();
  }
  Result<std::vector<LaneHead>> ready_lanes() override {
    return *alive_ ? inner_->ready_lanes() : dead();
  }
  Result<Claims> claim(const ClaimRequest& request) override {
    return *alive_ ? inner_->claim(request) : dead();
  }
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    return *alive_ ? inner_->commit(worker, batch, steps, refill) : dead();
  }
  Result<Swept> sweep(const SweepRequest& request) override {
    return *alive_ ? inner_->sweep(request) : dead();
  }
  using Store::act;
  Result<Job> act(const Act& act, const Actor& actor) override {
    return *alive_ ? inner_->act(act, actor) : dead();
  }
  People& people() override { return inner_->people(); }
  Receiver& receiver() override { return inner_->receiver(); }
  [[nodiscard]] std::uint64_t setbacks() const override { return inner_->setbacks(); }
  std::uint64_t change_mark() override { return inner_->change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override {
    return *alive_ ? inner_->keep_payload(bytes) : dead();
  }
  Result<KeptFile> keep_stream(const ByteSource& source) override {
    return *alive_ ? inner_->keep_stream(source) : dead();
  }

 private:
  /// The same error for every call.
  struct Dead {
    template <class T>
    operator Result<T>() const {  // NOLINT(google-explicit-constructor)
      return fail(ErrorCode::unavailable, "the process is dead");
    }
  };
  static Dead dead() { return {}; }

  std::shared_ptr<Store> inner_;
  std::shared_ptr<const bool> alive_;  // shared with the code that dies with the process
};

}  // namespace pawl::testing
