#pragma once

/// The engine: carries the items of a store's jobs through their workflows.
///
///   auto store = pawl::open_sqlite_store({.path = "state.db"});
///   auto engine = pawl::Engine::create(*store);
///   (*engine)->serve(documents);
///   const auto job = (*engine)->submit(documents.workflow(), items);
///   (*engine)->start();
///   (*engine)->wait(*job);
///
/// Any number of engines, in any number of processes, may work on one store. An engine works only
/// on stages whose code it was given by `serve`.
///
/// Two ways to run one: `start()` gives it threads of its own; or the host drives it with `poll()`
/// from its own loop, waiting on `wake_fd()` and `next_wake()` in between. Without threads (option
/// `threads = 0`, for tests on virtual time) even stages run inside `poll()`.
///
/// Threads: every function may be called from any thread; but an engine that was not started is
/// driven by one at a time, be it by `poll`, `run_until_idle`, `wait` or `stop`.

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
#include "pawl/runtime/task_spec.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct EngineOptions {
  std::string name = "engine";
  /// Threads for stages. 0: stages run inside `poll()`.
  unsigned threads = 8;
  /// Attempts open at once. Hundreds keep the group commit full; more only costs locality.
  std::uint32_t parallel = 1'024;
  /// A worker that does not renew for this long is taken for dead.
  Duration lease = std::chrono::seconds(60);
  /// A worker whose lease has run out by its own clock, and cannot be renewed, ends what it runs:
  /// another worker may be running the same by then. True: it goes on, and its results are recorded
  /// where nobody else was given the work.
  bool keep_running_past_lease = false;
  /// How long an attempt that was asked to stop may take to do so.
  Duration grace = std::chrono::seconds(10);
  /// How often commits of other processes are looked for.
  Duration poll_interval = std::chrono::milliseconds(100);
  /// Handlers that ignored their stop token; at this many the engine claims nothing more.
  std::uint32_t abandoned_max = 8;
  /// Work only on these; empty: on everything.
  std::set<std::string> categories;
  std::set<std::string> stages;
  std::set<JobId> jobs;
  /// Asked once for each job: one that it refuses is left to others. Called from the engine's
  /// threads.
  std::function<bool(const Job&)> takes;
  /// What the engine has to say. Called from its threads; must be quick.
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
  bool adopt = false;
  /// Leave the submission open for `add_items`.
  bool keep_open = false;
};

/// Items by the page: fills the vector and answers whether there may be more.
using ItemSource = std::function<Result<bool>(std::vector<NewItem>&)>;

/// Makes the code of a stage from its definition. Called from the engine's threads.
using CodeSource =
    std::function<std::shared_ptr<const StageCode>(const Workflow&, const StageDefinition&)>;

struct EngineStatus {
  std::int64_t open_attempts = 0;
  std::int64_t abandoned = 0;
  bool store_available = true;
  std::string trouble;  ///< why nothing is claimed, or empty
  /// Results of this engine that the store had acknowledged and has forgotten since (a failover).
  std::int64_t forgotten_results = 0;
  /// Why the engine has ended what it ran and stopped by itself: the store is damaged, or refuses
  /// to record even that an attempt failed.
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
  /// Signs on to the store, and goes by its clock.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(std::shared_ptr<Store> store,
                                                              EngineOptions options = {});
  /// The same on another clock, which must outlive the engine.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(std::shared_ptr<Store> store,
                                                              EngineOptions options,
                                                              const Clock& clock);
  virtual ~Engine() = default;

  /// Brings the code for a workflow's stages, of this and of every job in the store that names the
  /// same handlers.
  virtual void serve(const Program& program) = 0;
  virtual void serve(const HandlerRegistry& registry) = 0;
  /// Brings code that is made from a stage's own definition: asked once for each stage of each job
  /// the engine meets, after the handlers served by name. An empty answer: not mine.
  virtual void serve(CodeSource source) = 0;

  // Jobs

  /// Submits a job over these items. Keys come from `item_key` where a NewItem has none.
  [[nodiscard]] virtual Result<JobId> submit(const Workflow& workflow, std::vector<NewItem> items,
                                             const JobOptions& options = {}) = 0;
  /// Streams items in chunks: memory stays bounded.
  [[nodiscard]] virtual Result<JobId> submit(const Workflow& workflow, const ItemSource& source,
                                             const JobOptions& options = {}) = 0;
  [[nodiscard]] virtual Result<JobId> submit(const TaskJob& job,
                                             const JobOptions& options = {}) = 0;
  [[nodiscard]] virtual Result<Added> add_items(JobId job, std::vector<NewItem> items,
                                                bool close = false) = 0;
  /// After a crash in the middle of a submission: reads the source again, adds what is missing,
  /// closes it.
  [[nodiscard]] virtual Status resume_submission(JobId job, const ItemSource& source) = 0;

  /// Operators' and reviewers' acts; the engine reacts at once.
  [[nodiscard]] virtual Result<Job> act(const Act& act) = 0;
  [[nodiscard]] Result<Job> cancel(JobId job) { return act(CancelJob{.job = job}); }
  [[nodiscard]] Result<Job> pause(JobId job) { return act(PauseJob{.job = job}); }
  [[nodiscard]] Result<Job> resume(JobId job) { return act(ResumeJob{.job = job}); }
  [[nodiscard]] Result<Job> answer(ReviewId review, Answer answer) {
    return act(AnswerReview{.review = review, .answer = std::move(answer)});
  }

  [[nodiscard]] virtual Store& store() = 0;
  [[nodiscard]] Records& records() { return store().records(); }
  [[nodiscard]] virtual EngineStatus status() const = 0;
  /// Every item of the job with its outputs, page by page.
  [[nodiscard]] Status results(JobId job, const std::function<bool(const SettledItem&)>& visit) {
    return for_each_result(records(), job, visit);
  }

  /// Waits until the job has ended, is paused, or waits only for people; answers it as it is then.
  /// On a clock that does not tick it drives the engine instead. An engine that has stopped, or is
  /// drained of what it held, answers the job as it is.
  [[nodiscard]] virtual Result<Job> wait(JobId job) = 0;

  /// Calls `on_event` for every event after `after`, in order, none missed; from a thread of the
  /// engine, or from `poll()`.
  [[nodiscard]] virtual Subscription subscribe(EventSeq after,
                                               std::function<void(const Event&)> on_event) = 0;

  // Running

  /// Starts the engine's own threads.
  virtual void start() = 0;
  /// Opens nothing more; what runs goes on to its end and is recorded. `status().open_attempts`
  /// tells how much that is. There is no way back: `stop` comes next.
  virtual void drain() = 0;
  /// Claims nothing more, asks what runs to stop, gives it back, commits, signs off; returns within
  /// about the grace period. Attempts given back use no count.
  virtual void stop() = 0;

  /// Does what can be done now without waiting; answers whether anything was done. Only for an
  /// engine that was not started.
  virtual bool poll() = 0;
  /// Polls until nothing is left to do at this moment.
  virtual void run_until_idle() = 0;
  /// When `poll` is next needed if nothing else happens; none: not by time.
  [[nodiscard]] virtual Timestamp next_wake() const = 0;
  /// Readable when `poll` has something to do.
  [[nodiscard]] virtual int wake_fd() const = 0;
};

}  // namespace pawl
