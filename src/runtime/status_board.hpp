#pragma once

/// What other threads may ask of an engine at any time: which worker it is, how much it has open,
/// whether the store answers, why it has stopped.
///
/// Threads: any. Only whoever drives the loop changes it, except for `drain`, `add_arriving` and
/// `add_commit`.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "pawl/core/ids.hpp"
#include "pawl/runtime/engine.hpp"
#include "runtime/mutex.hpp"

namespace pawl::runtime {

class StatusBoard {
 public:
  StatusBoard(WorkerId worker, std::uint32_t parallel)
      : parallel_(parallel), worker_(worker.value()) {}

  [[nodiscard]] WorkerId worker() const { return WorkerId{worker_.load()}; }
  void set_worker(WorkerId worker) { worker_ = worker.value(); }

  // Open attempts. Never fewer than run.

  void set_open(std::size_t count) { open_ = static_cast<std::int64_t>(count); }
  /// Attempts that the store has opened for this engine and that it does not hold yet; negative
  /// when they have arrived.
  void add_arriving(std::int64_t count) { arriving_ += count; }
  /// How many attempts a submission may open at once.
  [[nodiscard]] std::uint32_t spare_room() const;

  // Drain, claims, and the end. A drain either stops a claim or sees it.

  void drain() { is_draining_ = true; }
  [[nodiscard]] bool is_draining() const { return is_draining_; }
  /// Announces a claim. False: it must not be made, because the engine drains.
  [[nodiscard]] bool announce_claim();
  void end_claim() { claim_in_flight_ = false; }
  void set_idle(bool is_idle) { is_idle_ = is_idle; }
  /// It has looked, and nothing waits or runs.
  [[nodiscard]] bool is_idle() const { return is_idle_; }
  void set_stopped() { has_stopped_ = true; }
  [[nodiscard]] bool has_stopped() const { return has_stopped_; }

  // Trouble.

  [[nodiscard]] bool is_store_up() const { return is_store_up_; }
  /// Returns whether it was up before.
  bool set_store_up(bool is_up) { return is_store_up_.exchange(is_up); }
  void set_trouble(std::string text);
  /// The first one counts. Returns whether it is the first.
  bool set_fault(const Error& error);
  void add_forgotten(std::size_t results);

  /// Counts a batch that the store has acknowledged. From any thread.
  void add_commit(Duration took) {
    ++commits_;
    commit_time_ += took.count();
  }

  [[nodiscard]] EngineStatus status(std::int64_t abandoned) const;

 private:
  const std::uint32_t parallel_;

  std::atomic<std::int64_t> worker_;
  std::atomic<std::int64_t> open_ = 0;
  std::atomic<std::int64_t> arriving_ = 0;
  std::atomic<bool> claim_in_flight_ = false;
  std::atomic<bool> has_stopped_ = false;
  std::atomic<bool> is_draining_ = false;
  std::atomic<bool> is_store_up_ = true;
  std::atomic<bool> is_idle_ = false;
  std::atomic<std::int64_t> commits_ = 0;
  std::atomic<Duration::rep> commit_time_ = 0;

  mutable Mutex mutex_;
  std::string trouble_ PAWL_GUARDED_BY(mutex_);
  std::int64_t forgotten_results_ PAWL_GUARDED_BY(mutex_) = 0;
  std::optional<Error> fault_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::runtime
