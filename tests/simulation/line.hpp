#pragma once

/// The line between one process (or person) and the shared store. Everything goes through it, so
/// every fault of a call happens here: it is refused, its answer is lost, it arrives twice or again
/// much later, it takes so long that others act meanwhile, or the process dies before, after or
/// during it. A dead line accepts no more calls, whatever its process still believes; earlier calls
/// may still arrive.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl::simulation {

/// What happens to one call.
enum class Fate : std::uint8_t {
  carried_out,
  refused,       ///< not executed, and the caller gets an error
  answer_lost,   ///< executed, but the caller gets an error
  comes_twice,   ///< executed, and delivered again
  comes_again,   ///< the same, but much later
  comes_late,    ///< others act and time passes before it arrives
  answers_late,  ///< the same between its arrival and its answer
  dies_before,   ///< the process is killed before the call is sent
  dies_sending,  ///< the process is killed, and the call arrives much later
  dies_after,
};
inline constexpr std::uint32_t fates = 10;

/// A call that owns its data: it may run after its caller is gone.
using OwnedCall = std::function<void()>;

class Line final : public Store {
 public:
  struct Ports {
    /// Called for each call that writes.
    std::function<Fate(const char* verb)> fate;
    /// Called for each read; returns whether it fails.
    std::function<bool()> is_missed;
    /// Lets others act.
    std::function<void()> meanwhile;
    /// Takes a call that will arrive later.
    std::function<void(OwnedCall)> under_way;
    /// The answer to the caller, for the log; none: no log.
    std::function<void(const std::string&)> said;
    /// The caller itself may hold something back until then: a rate, or a task that was told to
    /// wait.
    std::function<void(Timestamp)> holds_back;
    /// The caller got the answer that this is written.
    std::function<void(std::span<const Step>, const Committed&)> acknowledged_steps;
    std::function<void(const Act&, const Actor&)> acknowledged_act;
  };
  Line(std::shared_ptr<Store> store, Ports ports);
  ~Line() override;

  bool is_cut = false;  ///< a partition: nothing gets through, in either direction
  void kill() { is_dead_ = true; }
  /// Another process takes its place: people restart their program.
  void revive() { is_dead_ = false; }
  [[nodiscard]] bool is_dead() const { return is_dead_; }

  [[nodiscard]] const Clock& clock() const override { return store_->clock(); }
  Records& records() override;
  Result<WorkerId> enlist(const WorkerHello& hello) override;
  using Store::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override;
  Status retire(WorkerId worker) override;
  Result<Job> create_job(const NewJob& job) override;
  Result<Added> add_items(const AddItems& chunk) override;
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override;
  Result<std::vector<LaneHead>> ready_lanes() override;
  Result<Claims> claim(const ClaimRequest& request) override;
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override;
  Result<Swept> sweep(const SweepRequest& request) override;
  using Store::act;
  Result<Job> act(const Act& act, const Actor& actor) override;
  // Not simulated: these go past the line.
  People& people() override { return store_->people(); }
  Receiver& receiver() override { return store_->receiver(); }
  /// Noticed by the first write that meets a store that was set back, as on a real connection.
  [[nodiscard]] std::uint64_t setbacks() const override { return met_setbacks_; }
  std::uint64_t change_mark() override { return store_->change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override;
  Result<KeptFile> keep_stream(const ByteSource& source) override;

 private:
  class CutRecords;
  void note_waits(std::span<const Step> steps);
  void note_rates(const Claims& claims);
  [[nodiscard]] bool is_down() const { return is_dead_ || is_cut; }
  /// Whether this call is the first that meets a store that was set back. If so, no part of it is
  /// executed.
  [[nodiscard]] bool meets_setback();
  [[nodiscard]] bool misses_read() const { return is_down() || ports_.is_missed(); }
  /// How often the same call may reach the store. No network sends a claim or a batch twice, but a
  /// person's click or a submission may be repeated.
  enum class Repeats : std::uint8_t { never, at_once, later };
  /// Runs a call that writes, with its fault. `own` is the same call with its own data.
  template <class Call, class Own>
  auto carry_as_ever(const char* verb, Repeats repeats, Call call, Own own) -> decltype(call());
  template <class Call, class Own>
  auto carry(const char* verb, Repeats repeats, Call call, Own own) -> decltype(call());

  std::shared_ptr<Store> store_;
  Ports ports_;
  std::unique_ptr<CutRecords> records_;
  bool is_dead_ = false;
  std::uint64_t met_setbacks_ = 0;
};

}  // namespace pawl::simulation
