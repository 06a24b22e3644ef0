#pragma once

/// The code of stages: handlers that are served by name, and sources that make code from a
/// definition.
///
/// Threads: any. Sources are users' code and run outside the mutex.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pawl/runtime/engine.hpp"
#include "runtime/job_plan.hpp"
#include "runtime/mutex.hpp"

namespace pawl::runtime {

class CodeShelf {
 public:
  using CodeOfStages = std::vector<std::shared_ptr<const StageCode>>;

  /// `stages`: the only ones that are run; empty: all.
  CodeShelf(std::set<std::string> stages, decltype(EngineOptions::log) log)
      : stages_(std::move(stages)), log_(std::move(log)) {}

  void add(const Handlers& handlers);
  void add(CodeSource source);

  /// One entry per stage; null if this engine has no code for it.
  [[nodiscard]] CodeOfStages code_for(const Workflow& workflow) const;
  /// Whether the options of the engine exclude the stage.
  [[nodiscard]] bool is_excluded(const StageDefinition& definition) const {
    return !stages_.empty() && !stages_.contains(definition.name);
  }
  /// Whether all of a stage's code is here: without one of its gates everything would pass.
  [[nodiscard]] bool can_run(const StageDefinition& definition, const StageCode* code) const;
  enum class Service : std::uint8_t {
    none,         ///< the code is not here, or the job is not taken
    unavailable,  ///< the stage cannot run now; this may change at any time
    available,
  };
  /// Whether this engine runs the stage for the items of this job, as things are now.
  [[nodiscard]] Service service_of(const JobPlan& plan, StageIndex stage) const;
  /// The same in short; `take_unavailable` reports refusals.
  [[nodiscard]] bool serves(const JobPlan& plan, StageIndex stage) const;
  /// Whether `serves` has refused a stage since the last call because it is not available now.
  [[nodiscard]] bool take_unavailable() const { return saw_unavailable_.exchange(false); }

 private:
  [[nodiscard]] std::shared_ptr<const StageCode> made_by(const std::vector<CodeSource>& sources,
                                                         const Workflow& workflow,
                                                         const StageDefinition& stage) const;

  // Set in the constructor.
  const std::set<std::string> stages_;
  const decltype(EngineOptions::log) log_;

  mutable std::atomic<bool> saw_unavailable_ = false;
  mutable Mutex mutex_;
  Handlers handlers_ PAWL_GUARDED_BY(mutex_);
  std::vector<CodeSource> sources_ PAWL_GUARDED_BY(mutex_);
  mutable std::map<std::string, CodeOfStages, std::less<>> made_code_ PAWL_GUARDED_BY(mutex_);
};

}  // namespace pawl::runtime
