#pragma once

/// The model beside a store that can be broken: what the tests of the model's differences share.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "contract/drive.hpp"
#include "contract/records_decorator.hpp"
#include "simulation/modelled_store.hpp"
#include "store/forwarding_store.hpp"

namespace pawl::simulation {

/// A clock that may be ahead of another for a moment.
class AheadClock final : public Clock {
 public:
  explicit AheadClock(const Clock& base) : base_(base) {}
  [[nodiscard]] Timestamp now() const override { return base_.now() + ahead; }
  [[nodiscard]] bool ticks() const override { return false; }
  Duration ahead{};

 private:
  const Clock& base_;
};

/// A memory store with replaceable operations and alterable rows. Its own clock can run ahead of
/// the one that it shows.
class BrokenStore final : public store::ForwardingStore {
 public:
  explicit BrokenStore(const Clock& clock)
      : BrokenStore(clock, std::make_shared<AheadClock>(clock)) {}

  using store::ForwardingStore::inner;
  AheadClock& inner_clock() { return *clock_; }
  driving::RecordsDecorator& shown() { return shown_; }

  std::function<Result<Claims>(const ClaimRequest&)> claims;
  std::function<Result<Committed>(WorkerId, BatchNumber, std::span<const Step>)> commits;
  std::function<Result<Swept>(const SweepRequest&)> sweeps;
  std::function<Result<Job>(const Act&)> acts;
  std::function<Result<Job>(NewJob)> creates;

  [[nodiscard]] const Clock& clock() const override { return right_; }
  Records& records() override { return shown_; }
  Result<Job> create_job(const NewJob& job) override {
    return creates ? creates(job) : inner().create_job(job);
  }
  Result<Claims> claim(const ClaimRequest& request) override {
    return claims ? claims(request) : inner().claim(request);
  }
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    return commits ? commits(worker, batch, steps) : inner().commit(worker, batch, steps, refill);
  }
  Result<Swept> sweep(const SweepRequest& request) override {
    return sweeps ? sweeps(request) : inner().sweep(request);
  }
  using store::ForwardingStore::act;
  Result<Job> act(const Act& act, const Actor& actor) override {
    return acts ? acts(act) : inner().act(act, actor);
  }

 private:
  BrokenStore(const Clock& clock, std::shared_ptr<AheadClock> ahead)
      : store::ForwardingStore(open_memory_store(*ahead)),
        right_(clock),
        clock_(std::move(ahead)),
        shown_(inner().records()) {}

  const Clock& right_;
  std::shared_ptr<AheadClock> clock_;
  driving::RecordsDecorator shown_;
};

class Noticing : public testing::Test {
 protected:
  const std::vector<std::string>& differences() {
    return static_cast<ModelledStore&>(drive.store()).differences();
  }
  /// The first difference contains this, and there was none before the fault could show.
  void expect_noticed(const std::string& what) {
    ASSERT_THAT(differences(), testing::Not(testing::IsEmpty())) << "not noticed: " << what;
    EXPECT_THAT(differences().front(), testing::HasSubstr(what));
  }
  static StageDefinition tried_twice(Duration delay) {
    StageDefinition made = driving::stage("a");
    made.retry.max_attempts = 2;
    made.retry.backoff.initial = delay;
    return made;
  }
  static StageDefinition reviewed(std::string name) {
    StageDefinition made = driving::stage(std::move(name));
    made.review = ReviewPolicy::always;
    return made;
  }

  BrokenStore* broken = nullptr;
  driving::Drive drive{{.name = "broken", .open = [this](const Clock& clock) {
                          auto store = std::make_shared<BrokenStore>(clock);
                          broken = store.get();
                          return std::make_shared<ModelledStore>(std::move(store));
                        }}};
};

}  // namespace pawl::simulation
