#pragma once

/// The shared store with faults: it refuses for good what it cannot record, and it may be set back,
/// like a standby that takes over without the newest commits.
///
/// It is set back by replaying its history, without the end, on an empty store.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pawl/store/clock.hpp"
#include "simulation/modelled_store.hpp"

namespace pawl::simulation {

/// A summary that the store always refuses.
inline constexpr char unstorable[] = "unstorable";

class UnfaithfulStore final : public Store {
 public:
  using Open = std::function<std::shared_ptr<Store>(const Clock&)>;
  struct Kind {
    bool is_modelled = true;
    bool may_forget = false;
  };
  UnfaithfulStore(const ManualClock& clock, Open open, Kind kind);
  // Its people refer to it.
  UnfaithfulStore(const UnfaithfulStore&) = delete;
  UnfaithfulStore& operator=(const UnfaithfulStore&) = delete;

  [[nodiscard]] bool may_forget() const { return kind_.may_forget; }
  /// Loses the newest calls.
  void forget(std::size_t calls);

  // Findings of the model.
  [[nodiscard]] const std::vector<std::string>& differences() const {
    return inner_->differences();
  }
  void compare_everything() { inner_->compare_everything(); }

  [[nodiscard]] const Clock& clock() const override { return clock_; }
  Records& records() override { return inner_->records(); }
  Result<WorkerId> enlist(const WorkerHello& hello) override;
  using Store::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override;
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
  using Store::act;
  Result<Job> act(const Act& act, const Actor& actor) override;
  People& people() override { return people_; }
  Receiver& receiver() override { return inner_->receiver(); }
  [[nodiscard]] std::uint64_t setbacks() const override { return setbacks_; }
  std::uint64_t change_mark() override { return (setbacks_ << 32U) + inner_->change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override;
  Result<KeptFile> keep_stream(const ByteSource& source) override {
    return inner_->keep_stream(source);
  }

 private:
  /// The time of the world, or that of the history during a replay.
  class StoryClock final : public Clock {
   public:
    explicit StoryClock(const ManualClock& world) : world_(world) {}
    [[nodiscard]] Timestamp now() const override {
      return told_at != no_time ? told_at : world_.now();
    }
    [[nodiscard]] bool ticks() const override { return false; }
    Timestamp told_at;

   private:
    const ManualClock& world_;
  };
  using Call = std::function<void(Store&)>;

  [[nodiscard]] std::shared_ptr<ModelledStore> empty_store();
  [[nodiscard]] Status change_people(const PeopleChange& change, const Actor& actor);
  /// Executes the call and remembers it: `call` owns everything it needs.
  template <class Verb>
  auto carry_out(Verb verb) -> decltype(verb(std::declval<Store&>()));

  StoryClock clock_;
  Open open_;
  Kind kind_;
  std::shared_ptr<ModelledStore> inner_;
  ChangedPeople people_{[this]() -> People& { return inner_->people(); },
                        [this](const PeopleChange& change, const Actor& actor) {
                          return change_people(change, actor);
                        }};
  std::vector<std::pair<Timestamp, Call>> story_;
  std::uint64_t setbacks_ = 0;
};

}  // namespace pawl::simulation
