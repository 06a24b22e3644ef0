#pragma once

/// The jobs that an engine works on, as it last saw them.
///
/// Threads: whoever drives the loop.

#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/code_shelf.hpp"
#include "runtime/job_plan.hpp"

namespace pawl::runtime {

/// What changes about a job.
struct JobSeen {
  std::shared_ptr<const JobPlan> plan;
  Generation generation = 0;
  std::optional<CancelCause> cancelled;
  bool may_open = true;
  bool is_doubtful = false;  ///< the store was set back: what it says next counts, older or not
  std::optional<std::uint32_t> attempts_cap;
  Job job;  ///< as it was read last
  std::vector<WorkerLimits::Left>
      left;                     ///< what is left to others; cut if it is too much to report
  bool is_unavailable = false;  ///< a stage cannot run now, which may change
};

class JobBook {
 public:
  /// `shelf` must outlive the book.
  JobBook(const EngineOptions& options, const CodeShelf& shelf)
      : takes_(options.takes), why_left_(options.why_left), shelf_(shelf), only_(options.jobs) {}

  [[nodiscard]] bool has(JobId job) const { return jobs_.contains(job); }
  /// Null where the job is not in the book.
  [[nodiscard]] const JobSeen* find(JobId job) const;
  /// Whether what the store says of the job is needed before anything is started.
  [[nodiscard]] bool is_unknown(JobId job) const;
  [[nodiscard]] std::vector<std::pair<JobId, Generation>> generations() const;

  /// Whether the number was given to another job, because the store was set back.
  [[nodiscard]] bool is_another(const Job& job) const;
  /// Makes the plan of a job that is not in the book. Call `refresh` next.
  void add(const Job& job, const Workflow& workflow);
  /// Notes what was read of a job, unless it is older than what is known. Returns whether the job
  /// is cancelled and was not before.
  [[nodiscard]] bool refresh(const Job& job);
  void forget(JobId job) { jobs_.erase(job); }
  /// What was known of jobs may be wrong in every point.
  void doubt_all();
  /// The engine works on no other job from now on.
  void keep_to(JobId job) { only_ = {job}; }
  /// Whether the engine works only on other jobs.
  [[nodiscard]] bool is_foreign(JobId job) const { return !only_.empty() && !only_.contains(job); }
  /// Adds what this engine leaves to others, of all jobs in the book.
  void describe(WorkerLimits& limits) const;
  /// Whether a stage cannot run now, which may change at any time.
  [[nodiscard]] bool has_unavailable() const;
  /// Finds out again what is left to others: scripts come and go.
  void look_again();
  /// Looks for the code of all stages again.
  void serve_again();

 private:
  void find_left(JobSeen& seen) const;

  const decltype(EngineOptions::takes) takes_;
  const decltype(EngineOptions::why_left) why_left_;
  const CodeShelf& shelf_;
  std::set<JobId> only_;  ///< empty: all
  std::unordered_map<JobId, JobSeen> jobs_;
};

}  // namespace pawl::runtime
