#pragma once

/// What the store says now, as metrics: jobs, tasks, queues, reviews, dead letters, workers, pools.
///
/// Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pawl/store/records.hpp"
#include "service/live/attempt_counts.hpp"
#include "service/live/metric_text.hpp"
#include "views/remembered.hpp"

namespace pawl::service {

class StoreFigures {
 public:
  // The most of each that are written.
  static constexpr std::size_t jobs_max = 1'000;  ///< that have not ended, the newest
  static constexpr std::size_t stages_max = 200;
  static constexpr std::size_t queues_max = 50;
  static constexpr std::size_t pools_max = 100;

  /// Writes the families. `pawl_store_up` is 0 if the store does not answer, and then those that
  /// it could not tell are missing.
  void write(MetricText& text, Store& store, const std::function<bool(WorkerId)>& is_dead);
  /// Empty names for a job that does not exist. None: the store does not answer.
  [[nodiscard]] std::optional<StageNames> find(Records& records, JobId job, StageIndex stage);

 private:
  struct Pool {
    std::int64_t open = 0;
    std::uint32_t parallel = 0;  ///< 0: no limit
  };
  /// What is read of the jobs that have not ended.
  struct Jobs {
    std::map<JobId, Job> all;
    bool has_more = false;
    std::map<JobState, std::int64_t> by_state;
    std::map<StageNames, StateCounts> tasks;
    std::size_t stages_left_out = 0;
    std::map<std::string, Pool> pools;
  };
  /// The oldest task that waits for a worker in a stage of a workflow.
  struct Queue {
    StageNames names;
    LaneHead oldest;
  };
  using LeftOut = std::map<std::string_view, std::size_t>;

  [[nodiscard]] Status write_all(MetricText& text, Store& store,
                                 const std::function<bool(WorkerId)>& is_dead);
  [[nodiscard]] Result<Jobs> read_jobs(Records& records);
  [[nodiscard]] Status add_stages(Records& records, const Job& job, Jobs& jobs);
  [[nodiscard]] Status write_queues(MetricText& text, Store& store, const Jobs& jobs,
                                    LeftOut& left_out);
  [[nodiscard]] Status write_pools(MetricText& text, Records& records, Jobs& jobs,
                                   LeftOut& left_out);
  [[nodiscard]] Result<StageNames> names_of(Records& records, const Job& job, StageIndex stage);
  /// `not_found` for a workflow that was deleted.
  [[nodiscard]] Result<std::shared_ptr<const Workflow>> workflow_of(Records& records,
                                                                    const std::string& hash);

  views::Remembered<std::string, std::shared_ptr<const Workflow>> workflows_{100};  ///< by hash
};

}  // namespace pawl::service
