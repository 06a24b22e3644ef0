#pragma once

/// What the daemon measures, as Prometheus text. The number of series is bounded: what is beyond
/// the bounds is summed under empty labels, or left out and counted in `pawl_metrics_left_out`.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstddef>
#include <mutex>
#include <string>

#include "pawl/runtime/engine.hpp"
#include "service/api/router.hpp"
#include "service/live/attempt_counts.hpp"
#include "service/live/request_counts.hpp"
#include "service/live/store_figures.hpp"

namespace pawl::service {

struct Backend;
class LiveEvents;

class Metrics {
 public:
  // The most of each that have series of their own.
  static constexpr std::size_t stages_max = 200;
  static constexpr std::size_t routes_max = 500;

  /// Counts the events from now on.
  explicit Metrics(LiveEvents& live);

  /// Counts a request that was answered.
  void note(const RequestRecord& request);
  /// Everything that was counted, and what the store, the engine and the server say now. If the
  /// store does not answer: `pawl_store_up` is 0, and what only the store knows is missing.
  [[nodiscard]] std::string text(Backend& backend);

 private:
  AttemptCounts attempts_{stages_max};
  RequestCounts requests_{routes_max};
  StoreFigures store_;
  std::mutex writing_;         ///< one text at a time: a store is not read twice at once
  Subscription subscription_;  ///< last: it uses `attempts_`
};

}  // namespace pawl::service
