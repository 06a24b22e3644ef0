#pragma once

/// How long the attempts of each stage took in the last hour, minute by minute. Kept in memory;
/// seeded from the log at the start.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "pawl/core/event.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/json.hpp"
#include "service/live/durations.hpp"
#include "service/live/live_events.hpp"

namespace pawl::service {

class StageFigures {
 public:
  static constexpr std::size_t seed_max = 100'000;  ///< events
  /// Stages of jobs that are kept. If more are at work within one hour, those without an attempt
  /// for the longest time are forgotten.
  static constexpr std::size_t stages_max = 2'000;

  /// Follows what comes, and reads the last hour of the log in a thread of its own. The engine must
  /// outlive it.
  StageFigures(Engine& engine, LiveEvents& live);
  ~StageFigures();

  /// Waits until the log was read. Figures are too low until then.
  void wait_until_seeded();

  /// {"stages":[{"stage","attempts","p50_s","p95_s","max_s","per_minute":[…60]}]} for a job: the
  /// attempts that ended in the last hour. `per_minute` is their number, the oldest minute first.
  /// Durations are null if there were none, or if they come from a version that did not record
  /// them.
  [[nodiscard]] Json document_of(const Job& job, const Workflow& workflow) const;

  /// Takes in an event.
  void note(const Event& event);

  /// The stages that are kept.
  [[nodiscard]] std::size_t stages() const;

 private:
  static constexpr std::int64_t minutes_kept = 60;
  struct Minute {
    std::int64_t attempts = 0;  ///< that ended in it
    Durations durations;
  };
  using Stage = std::pair<JobId, StageIndex>;
  using Minutes = std::map<std::int64_t, Minute>;  ///< by the minute since the epoch

  void seed(const std::stop_token& stop, EventSeq newest);
  /// Forgets what is older than an hour, and the oldest stages if there are too many. `mutex_` is
  /// held.
  void forget(Timestamp now);

  Engine& engine_;
  mutable std::mutex mutex_;
  std::map<Stage, Minutes> stages_;  ///< guarded by mutex_
  std::int64_t forgotten_at_ = 0;    ///< the minute of the last `forget`; guarded by mutex_
  Subscription subscription_;
  std::jthread seeding_;
};

}  // namespace pawl::service
