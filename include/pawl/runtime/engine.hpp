#pragma once

/// The engine: moves the items of a store's jobs through their workflows.
///
///   auto store = pawl::open_sqlite_store({.path = "state.db"});
///   auto engine = pawl::Engine::create(*store);
///   (*engine)->serve(documents);
///   const auto job = (*engine)->submit(documents.workflow(), items);
///   (*engine)->start();
///   (*engine)->wait(*job);
///
/// Any number of engines, in any number of processes, may work on one store. An engine works only
/// on stages whose code it received through `serve`.
///
/// There are two ways to run an engine. `start()` gives it threads of its own. Or the host drives
/// it with `poll()` from its own loop and waits on `wake_fd()` and `next_wake()` in between.
/// Without threads (option `threads = 0`, for tests in virtual time) even stages run inside
/// `poll()`.
///
/// Threads: every function may be called from any thread. But only one thread at a time may drive
/// an engine that was not started, through `poll`, `run_until_idle`, `wait` or `stop`.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "pawl/runtime/context.hpp"
#include "pawl/runtime/program.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct EngineOptions {
  std::string name = "engine";
  /// Threads for stages. 0: stages run inside `poll()`.
  unsigned threads = 8;
  /// The most attempts open at once. Hundreds keep the group commit full; more only cost locality.
  std::uint32_t parallel = 1'024;
  /// A worker that does not renew its lease for this long is considered dead.
  Duration lease = std::chrono::seconds(60);
  /// If a worker's lease has expired by its own clock and cannot be renewed, the worker ends what
  /// it runs, because another worker may be running the same tasks by then. True: it continues, and
  /// its results are recorded unless another worker was given the tasks.
  bool keep_running_past_lease = false;
  /// How long an attempt may take to stop after it was asked to.
  Duration grace = std::chrono::seconds(10);
  /// How often the engine checks for commits of other processes.
  Duration poll_interval = std::chrono::milliseconds(100);
  /// The engine stops claiming when this many handlers have ignored their stop token.
  std::uint32_t abandoned_max = 8;
  /// Restricts the engine to these; empty: no restriction.
  std::set<std::string> categories;
  std::set<std::string> stages;
  std::set<JobId> jobs;
  /// Called once for each job; if it returns false, the job is left to other engines. Called from
  /// the engine's threads.
  std::function<bool(const Job&)> takes;
  /// Says why the engine leaves a stage of a job to others, or the whole job (no stage): "the
  /// secret TOKEN is not set". For people who ask why a task does not run. Called from the engine's
  /// threads.
  std::function<std::string(const Job&, const Workflow&, const StageDefinition*)> why_left;
  /// Receives the engine's log lines. Called from its threads; must be quick.
  std::function<void(LogLevel, const std::string&)> log;
};

struct JobOptions {
  std::string key;
  Json params;
  Json labels;
  Budget budget;
  Tolerance tolerate_failures;
  std::uint32_t parallel = 0;
  std::int32_t priority = 0;
  Actor by = {};  ///< who submits it
  bool adopt = false;
  /// Leave the submission open for `add_items`.
  bool keep_open = false;
  /// Called when the job is in the store with its first page of items, before the other pages are
  /// read; also if the key was known and nothing was added.
  std::function<void(const Submitted&)> on_submitted;
};

/// Returns items page by page: fills the vector and returns whether there may be more.
using ItemSource = std::function<Result<bool>(std::vector<NewItem>&)>;

/// Submits a job as `Engine::submit` does, without an engine: no worker is registered, and nothing
/// runs until an engine works on the store.
[[nodiscard]] Result<JobId> submit_to_store(Store& store, const Workflow& workflow,
                                            const ItemSource& source,
                                            const JobOptions& options = {});

/// Called while `Engine::wait` waits, from the thread that waits, with the job as last read, or
/// with the error if it could not be read. If it returns false, the wait ends.
using JobWatch = std::function<bool(const Result<Job>&)>;

/// Makes the code of a stage from its definition. Called from the engine's threads.
using CodeSource =
    std::function<std::shared_ptr<const StageCode>(const Workflow&, const StageDefinition&)>;

struct EngineStatus {
  std::int64_t open_attempts = 0;
  std::int64_t abandoned = 0;
  bool store_available = true;
  std::string trouble;  ///< why nothing is claimed, or empty
  /// Results of this engine that the store had acknowledged and then lost (in a failover).
  std::int64_t forgotten_results = 0;
  std::int64_t commits = 0;  ///< batches that the store has acknowledged
  Duration commit_time{};    ///< how long the store took for them, in all
  /// Why the engine ended its attempts and stopped by itself: the store is damaged, or refuses to
  /// record even that an attempt failed.
  std::optional<Error> fault;
};

/// Ends a subscription when destroyed.
class Subscription {
 public:
  Subscription() = default;
  explicit Subscription(std::function<void()> cancel) : cancel_(std::move(cancel)) {}
  Subscription(Subscription&& other) noexcept : cancel_(std::exchange(other.cancel_, {})) {}
  Subscription& operator=(Subscription&& other) noexcept {
    std::swap(cancel_, other.cancel_);
    return *this;
  }
  ~Subscription() {
    if (cancel_) cancel_();
  }

 private:
  std::function<void()> cancel_;
};

class Engine {
 public:
  /// Registers with the store as a worker, and uses the store's clock.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(std::shared_ptr<Store> store,
                                                              EngineOptions options = {});
  /// The same with another clock, which must outlive the engine.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(std::shared_ptr<Store> store,
                                                              EngineOptions options,
                                                              const Clock& clock);
  virtual ~Engine() = default;

  /// Provides the code for the stages of a workflow. It serves every job in the store whose
  /// workflow names the same handlers.
  virtual void serve(const Program& program) = 0;
  /// The same for handlers that belong to no single workflow.
  virtual void serve(const Handlers& handlers) = 0;
  /// Provides code that is made from the definition of a stage. Called once for each stage of each
  /// job that the engine meets, after the handlers served by name. A null result means that the
  /// source does not know the stage.
  virtual void serve(CodeSource source) = 0;
  /// Works on no other job, as with `EngineOptions::jobs`; for a job that is submitted after the
  /// engine was created. Call it before `start`.
  virtual void keep_to(JobId job) = 0;

  // Jobs

  /// Submits a job with these items. An item without a key gets one from `item_key`. If the store
  /// has a job of this workflow with the key of the job, returns that job and adds nothing.
  [[nodiscard]] virtual Result<JobId> submit(const Workflow& workflow, std::vector<NewItem> items,
                                             const JobOptions& options = {}) = 0;
  /// Reads the items in chunks, so memory stays bounded.
  [[nodiscard]] virtual Result<JobId> submit(const Workflow& workflow, const ItemSource& source,
                                             const JobOptions& options = {}) = 0;
  [[nodiscard]] virtual Result<Added> add_items(JobId job, std::vector<NewItem> items,
                                                bool close = false) = 0;
  /// Completes a submission that a crash interrupted: reads the source again, adds the missing
  /// items and closes the submission.
  [[nodiscard]] virtual Status resume_submission(JobId job, const ItemSource& source,
                                                 const Actor& by = {}) = 0;

  /// Performs an operation of an operator or reviewer. The engine reacts at once.
  [[nodiscard]] virtual Result<Job> act(const Act& act, const Actor& actor) = 0;
  /// The same for the local user under the name that the act itself gives.
  [[nodiscard]] Result<Job> act(const Act& act) {
    return this->act(act, Actor{.name = std::string(doer_of(act))});
  }
  [[nodiscard]] Result<Job> cancel(JobId job) { return act(CancelJob{.job = job}); }
  [[nodiscard]] Result<Job> pause(JobId job) { return act(PauseJob{.job = job}); }
  [[nodiscard]] Result<Job> resume(JobId job) { return act(ResumeJob{.job = job}); }
  [[nodiscard]] Result<Job> answer(ReviewId review, Answer answer) {
    return act(AnswerReview{.review = review, .answer = std::move(answer)});
  }

  [[nodiscard]] virtual Store& store() = 0;
  [[nodiscard]] Records& records() { return store().records(); }
  [[nodiscard]] virtual EngineStatus status() const = 0;
  /// Visits every item of the job with its outputs, page by page.
  [[nodiscard]] Status results(JobId job, const std::function<bool(const SettledItem&)>& visit) {
    return for_each_result(records(), job, visit);
  }

  /// Waits until the job has ended, is paused, or waits only for reviewers, and returns it. With a
  /// clock that does not tick, it drives the engine instead. If the engine has stopped, or was
  /// drained and holds nothing more, it returns the job as it is.
  ///
  /// `watch` is called at once and then every `poll_interval`. With it, the wait continues if the
  /// store does not answer; without it, the error is returned.
  [[nodiscard]] virtual Result<Job> wait(JobId job, const JobWatch& watch = {}) = 0;

  /// Calls `on_event` for every event after `after`, in order, without gaps; from a thread of the
  /// engine, or from `poll()`.
  [[nodiscard]] virtual Subscription subscribe(EventSeq after,
                                               std::function<void(const Event&)> on_event) = 0;

  // Running

  /// Starts the engine's own threads.
  virtual void start() = 0;
  /// Opens no more attempts. Open attempts run to their end and are recorded;
  /// `status().open_attempts` is their number. Cannot be undone: call `stop` next.
  virtual void drain() = 0;
  /// Claims nothing more, asks the running attempts to stop, hands them back, commits and
  /// unregisters. Returns within about the grace period. Attempts handed back do not count.
  virtual void stop() = 0;

  /// Does what can be done now without waiting. Returns whether anything was done. Only for an
  /// engine that was not started.
  virtual bool poll() = 0;
  /// Polls until there is nothing left to do now.
  virtual void run_until_idle() = 0;
  /// When `poll` must be called next if nothing else happens; none: no time is set.
  [[nodiscard]] virtual Timestamp next_wake() const = 0;
  /// A file descriptor that is readable when `poll` has something to do.
  [[nodiscard]] virtual int wake_fd() const = 0;
};

}  // namespace pawl
