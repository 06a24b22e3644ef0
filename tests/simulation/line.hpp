#pragma once

/// The line between one process (or person) and the store that all share. Everything goes through
/// it, so everything that can happen to a call happens here: it is refused, its answer is lost, it
/// arrives twice or once more much later, it takes so long that others act meanwhile, or the
/// process dies before or after it, or while it is under way. A line that is dead takes no more
/// calls, whatever its process still believes; what it was given before may still arrive.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl::simulation {

/// What becomes of one call.
enum class Fate : std::uint8_t {
  carried_out,
  refused,       ///< not carried out, and the caller learns of it
  answer_lost,   ///< carried out, and the caller learns of trouble
  comes_twice,   ///< carried out, and delivered once more
  comes_again,   ///< the same, and much later
  comes_late,    ///< others act and time passes before it arrives
  answers_late,  ///< the same between its arrival and its answer
  dies_before,   ///< the process is killed with the call on its lips
  dies_sending,  ///< the process is killed, and the call arrives much later
  dies_after,
};
inline constexpr std::uint32_t fates = 10;

/// A call that stands for itself: it may be made when whoever made it is gone.
using OwnedCall = std::function<void()>;

class Line final : public Store {
 public:
  struct Ports {
    /// Asked for each call that writes.
    std::function<Fate(const char* verb)> fate;
    /// Asked for each read: whether it fails.
    std::function<bool()> is_missed;
    /// Lets others act.
    std::function<void()> meanwhile;
    /// Takes a call that will arrive later.
    std::function<void(OwnedCall)> under_way;
    /// What the caller was answered, for the story; none: nobody listens.
    std::function<void(const std::string&)> said;
    /// The caller may hold something back until then, by itself: a rate, or who was told to wait.
    std::function<void(Timestamp)> holds_back;
    /// The caller was told that this is written.
    std::function<void(std::span<const Step>, const Committed&)> acknowledged_steps;
    std::function<void(const Act&)> acknowledged_act;
  };
  Line(std::shared_ptr<Store> store, Ports ports);
  ~Line() override;

  bool is_cut = false;  ///< a partition: nothing gets through, in either direction
  void kill() { is_dead_ = true; }
  /// Another process takes its place: people start their program anew.
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
  Result<Job> act(const Act& act) override;
  Result<Arriving> receive(const Arrival& arrival) override;
  /// Learned by the first write that meets a store which was set back, as over a real connection.
  [[nodiscard]] std::uint64_t setbacks() const override { return met_setbacks_; }
  std::uint64_t change_mark() override { return store_->change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override;
  Result<KeptFile> keep_stream(const ByteSource& source) override;

 private:
  class CutRecords;
  void note_waits(std::span<const Step> steps);
  void note_rates(const Claims& claims);
  [[nodiscard]] bool is_down() const { return is_dead_ || is_cut; }
  /// Whether this call is the first that meets a store which was set back. Nothing of it is carried
  /// out then.
  [[nodiscard]] bool meets_setback();
  [[nodiscard]] bool misses_read() const { return is_down() || ports_.is_missed(); }
  /// How often one and the same call may reach the store. No network sends a claim or a batch
  /// twice; a person's click, or whoever submits, may well.
  enum class Repeats : std::uint8_t { never, at_once, later };
  /// A call that writes: with its fate. `own` makes the same call with everything it needs.
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
