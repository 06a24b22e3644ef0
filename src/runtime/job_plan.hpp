#pragma once

/// What the engine keeps of a job and of an item while it works on them. Everything shared with
/// running stages is immutable or guarded.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/job.hpp"
#include "pawl/runtime/context.hpp"
#include "pawl/runtime/program.hpp"
#include "pawl/store/store.hpp"
#include "runtime/mutex.hpp"
#include "runtime/recycled.hpp"

namespace pawl::runtime {

/// The unchanging part of a job: its pinned definition and the code for it.
struct JobPlan {
  JobId id;
  Json params;
  Json labels;
  std::int64_t reduce_ordinal = 0;
  Timestamp submitted_at;
  Workflow workflow;
  /// By stage; null where this engine has no code for the stage and must leave it to others.
  std::vector<std::shared_ptr<const StageCode>> code;
  /// By stage: what a rate limit holds back, the stage's pool or the stage itself.
  std::vector<std::string> pool_keys;
  bool is_left = false;  ///< this engine does not take it
};

/// An output as downstream reads it.
struct KeptOutput {
  Json json;
  Artifact typed;
  bool edited = false;
  StateKind state = StateKind::succeeded;
};

/// An item in the hands of this engine: its data and the outputs known so far. Shared by the
/// attempts of the item that run here; gone with the last of them.
class ItemHold {
 public:
  ItemHold(std::string key, std::string category, Json data, std::size_t stages)
      : key_(std::move(key)),
        category_(std::move(category)),
        data_(std::move(data)),
        outputs_(stages) {}

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& category() const { return category_; }
  [[nodiscard]] const Json& data() const { return data_; }

  void keep(StageIndex stage, std::shared_ptr<const KeptOutput> output) {
    const MutexLock lock(mutex_);
    outputs_[at(stage)] = std::move(output);
  }
  [[nodiscard]] std::shared_ptr<const KeptOutput> kept(StageIndex stage) const {
    const MutexLock lock(mutex_);
    return outputs_[at(stage)];
  }

 private:
  // Set in the constructor.
  const std::string key_;
  const std::string category_;
  const Json data_;

  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const KeptOutput>> outputs_ PAWL_GUARDED_BY(mutex_);
};

/// What an attempt says that it runs. Its code writes it, and the loop reads it when the attempt
/// closes, also if the code is still running then.
class RunningAction {
 public:
  void set(Json action) {
    const MutexLock lock(mutex_);
    action_ = std::move(action);
  }
  [[nodiscard]] Json get() const {
    const MutexLock lock(mutex_);
    return action_;
  }

 private:
  mutable Mutex mutex_;
  Json action_ PAWL_GUARDED_BY(mutex_);
};

struct ExecutionPorts;

/// One open attempt of this engine.
struct OpenAttempt {
  Task task;
  std::shared_ptr<const JobPlan> plan;
  std::shared_ptr<ItemHold> hold;
  std::shared_ptr<const StageCode> code;
  std::stop_source stop;
  std::shared_ptr<const ExecutionPorts> ports;  ///< where the execution reports
  std::string condition_error;                  ///< its `when` threw: the attempt fails with this
  /// The closed attempts of the task, where this engine has seen them all.
  std::optional<std::vector<Attempt>> history;
  /// The store did not answer when the code read something: what then fails has not failed.
  mutable std::atomic<bool> missed_store = false;
  /// The work is done, and what it brought waits for the store.
  mutable std::atomic<bool> waits_for_store = false;
  mutable RunningAction action;

  [[nodiscard]] const StageDefinition& stage() const { return plan->workflow.stage(task.stage()); }
};

/// What came of an attempt, before any decision.
struct Finished {
  TaskId task;
  Version version = 0;  ///< of the opening: a late result is told apart
  Attempt draft;
  std::vector<NewChild> children;
  Artifact typed;

  static void* operator new(std::size_t) { return Recycled<Finished>::allocate(1); }
  static void operator delete(void* block) {
    Recycled<Finished>::deallocate(static_cast<Finished*>(block), 1);
  }
};

}  // namespace pawl::runtime
