#pragma once

/// Counts the events, and the attempts of each stage that ended.
///
/// An event has only the number of its job. So the attempts are kept by job until somebody asks,
/// and then added to those of their workflow.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "pawl/core/event.hpp"
#include "pawl/core/workflow.hpp"
#include "service/live/metric_text.hpp"

namespace pawl::service {

/// A stage of a workflow by its names; both empty: those beyond the bounds, or of unknown jobs.
struct StageNames {
  std::string workflow;
  std::string stage;
  friend auto operator<=>(const StageNames&, const StageNames&) = default;
};
/// None: the store does not answer now.
using FindStage = std::function<std::optional<StageNames>(JobId job, StageIndex stage)>;

class AttemptCounts {
 public:
  explicit AttemptCounts(std::size_t stages_max) : stages_max_(stages_max) {}

  void note(const Event& event);
  /// The families of events and attempts.
  void write(MetricText& text, const FindStage& find);

 private:
  struct Counts {
    std::map<std::int32_t, std::int64_t> results;  ///< by the number of `AttemptResult`
    Histogram durations;
    std::uint64_t used = 0;  ///< when something was added, by `uses_`
    Counts();
    void add(const Counts& other);
  };

  void settle(const FindStage& find);
  [[nodiscard]] Counts& counts_of(const StageNames& names);  ///< `mutex_` is held

  const std::size_t stages_max_;
  std::mutex mutex_;
  // All of these are guarded by mutex_.
  std::map<EventType, std::int64_t> events_;
  std::map<std::pair<JobId, StageIndex>, Counts> unsettled_;
  std::map<StageNames, Counts> settled_;
  std::uint64_t uses_ = 0;
};

}  // namespace pawl::service
