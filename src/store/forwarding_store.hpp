#pragma once

/// A store that hands everything on to another: what a store that alters some of it is made from.

#include <memory>
#include <utility>

#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl::store {

class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(std::shared_ptr<Store> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] const Clock& clock() const override { return inner_->clock(); }
  Records& records() override { return inner_->records(); }
  Result<WorkerId> enlist(const WorkerHello& hello) override { return inner_->enlist(hello); }
  using Store::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override {
    return inner_->renew(worker, holds_since);
  }
  Status note_limits(WorkerId worker, const WorkerLimits& limits) override {
    return inner_->note_limits(worker, limits);
  }
  Status retire(WorkerId worker) override { return inner_->retire(worker); }
  Result<Job> create_job(const NewJob& job) override { return inner_->create_job(job); }
  Result<Added> add_items(const AddItems& chunk) override { return inner_->add_items(chunk); }
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    return inner_->submit(job, items);
  }
  Result<std::vector<LaneHead>> ready_lanes() override { return inner_->ready_lanes(); }
  Result<Claims> claim(const ClaimRequest& request) override { return inner_->claim(request); }
  using Store::commit;
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    return inner_->commit(worker, batch, steps, refill);
  }
  Result<Swept> sweep(const SweepRequest& request) override { return inner_->sweep(request); }
  using Store::act;
  Result<Job> act(const Act& act, const Actor& actor) override { return inner_->act(act, actor); }
  People& people() override { return inner_->people(); }
  Receiver& receiver() override { return inner_->receiver(); }
  [[nodiscard]] std::uint64_t setbacks() const override { return inner_->setbacks(); }
  std::uint64_t change_mark() override { return inner_->change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override {
    return inner_->keep_payload(bytes);
  }
  Result<KeptFile> keep_stream(const ByteSource& source) override {
    return inner_->keep_stream(source);
  }

 protected:
  [[nodiscard]] Store& inner() { return *inner_; }

 private:
  std::shared_ptr<Store> inner_;
};

}  // namespace pawl::store
