#pragma once

/// The line between one process (or person) and the store that all share. Everything goes through
/// it, so everything that can happen to a call happens here: it is refused, its answer is lost, it
/// arrives twice, it takes so long that others act meanwhile, or the process dies before or after
/// it. A line that is dead carries nothing any more, whatever its process still believes.

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
  comes_late,    ///< others act and time passes before it arrives
  answers_late,  ///< the same between its arrival and its answer
  dies_before,   ///< the process is killed with the call on its lips
  dies_after,
};
inline constexpr std::uint32_t fates = 8;

class Line final : public Store {
 public:
  struct Ports {
    /// Asked for each call that writes.
    std::function<Fate(const char* verb)> fate;
    /// Asked for each read: whether it fails.
    std::function<bool()> is_missed;
    /// Lets others act.
    std::function<void()> meanwhile;
    /// What the caller was answered, for the story; none: nobody listens.
    std::function<void(const std::string&)> said;
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
  Status renew(WorkerId worker) override;
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
  std::uint64_t change_mark() override { return store_->change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override;
  Result<KeptFile> keep_file(const std::filesystem::path& path) override;

 private:
  class CutRecords;
  [[nodiscard]] bool is_down() const { return is_dead_ || is_cut; }
  [[nodiscard]] bool misses_read() const { return is_down() || ports_.is_missed(); }
  /// A call that writes: with its fate. `again` says whether it may come twice.
  template <class Call>
  auto carry(const char* verb, bool again, Call call) -> decltype(call());

  std::shared_ptr<Store> store_;
  Ports ports_;
  std::unique_ptr<CutRecords> records_;
  bool is_dead_ = false;
};

}  // namespace pawl::simulation
