#pragma once

/// The engine's loop: one state machine, driven by one thread at a time. Messages come in from the
/// desk; what has to be done goes back there, as pieces (users' code) and as calls to the store.
/// The loop decides nothing itself: the core does. It never blocks.
///
/// The threads of a started engine share the driving (see desk.hpp). Users' code never runs while
/// the loop is driven, except for deciders, `takes`, code sources and the log.
///
/// Recovery is not a mode: the sweep finds an attempt that nobody closes, like any other whose
/// worker is gone.

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pawl/runtime/engine.hpp"
#include "runtime/claimer.hpp"
#include "runtime/code_shelf.hpp"
#include "runtime/commit_queue.hpp"
#include "runtime/crew.hpp"
#include "runtime/desk.hpp"
#include "runtime/errand.hpp"
#include "runtime/event_feed.hpp"
#include "runtime/execution.hpp"
#include "runtime/held_attempts.hpp"
#include "runtime/job_book.hpp"
#include "runtime/lease.hpp"
#include "runtime/status_board.hpp"

namespace pawl::runtime {

class Loop {
 public:
  Loop(std::shared_ptr<Store> store, const EngineOptions& options, const Clock& clock,
       WorkerHello hello, WorkerId worker);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // From any thread.
  void serve(const Handlers& handlers);
  void serve(CodeSource source);
  /// Attempts that a submission opened for this worker.
  void adopt_opened(std::vector<Claimed> opened);
  /// A submission may have opened attempts for this worker, and its answer was lost.
  void look_for_unknown();
  /// Something was made ready by this process.
  void nudge();
  /// Somebody acted on the store through this process: look at what changed.
  void look_again();
  void keep_to(JobId job);
  /// Opens nothing more.
  void drain();
  [[nodiscard]] bool is_draining() const { return board_.is_draining(); }
  void begin_stop();
  [[nodiscard]] bool has_stopped() const { return board_.has_stopped(); }
  /// How many attempts a submission may open at once.
  [[nodiscard]] std::uint32_t spare_room() const { return board_.spare_room(); }
  /// Whether this engine would run what a submission makes ready, now and at once.
  [[nodiscard]] bool would_open(const Workflow& workflow, std::span<const NewItem> items) const;
  [[nodiscard]] WorkerId worker() const { return board_.worker(); }
  [[nodiscard]] EngineStatus status() const { return board_.status(desk_->abandoned()); }
  [[nodiscard]] Desk& desk() { return *desk_; }
  [[nodiscard]] EventFeed& feed() { return feed_; }

  /// From now on the engine's own threads drive the loop. They call `on_news` when something has
  /// come to an end: a thread that waits for a job should look at it.
  void start(std::function<void()> on_news);

  // An engine that its host drives, from the host's thread.
  bool poll();
  [[nodiscard]] Timestamp next_wake() const;

 private:
  using Held = HeldAttempt;

  /// Calls the store, on another thread: `ask(Store&)`. The answer goes to `hear` when the loop is
  /// driven next.
  template <class Ask, class Hear>
  void ask_store(Ask ask, Hear hear) {
    ask_store_on(Desk::Line::commits, std::move(ask), std::move(hear));
  }
  template <class Ask, class Hear>
  void ask_store_on(Desk::Line line, Ask ask, Hear hear) {
    desk_->add_call(
        line, [this, ask = std::move(ask), hear = std::move(hear)]() mutable -> Desk::Message {
          return [hear = std::move(hear), answer = ask(*store_)]() mutable {
            hear(std::move(answer));
          };
        });
  }

  // loop.cpp
  Duration drive();
  bool turn();
  void log(LogLevel level, const std::string& text) const;
  void run_timers(Timestamp now);
  void after_foreign_change();

  // loop_attempts.cpp
  Held& hold_attempt(Task task, std::shared_ptr<const JobPlan> plan,
                     std::shared_ptr<ItemHold> hold);
  void give_back(Task task, std::shared_ptr<const JobPlan> plan, std::shared_ptr<ItemHold> hold,
                 const std::string& why);
  void start_attempt(Task task, std::shared_ptr<const JobPlan> plan, std::shared_ptr<ItemHold> hold,
                     std::string condition_error = {},
                     std::optional<std::vector<Attempt>> history = std::nullopt);
  /// The loop may be gone; the message is then never read.
  [[nodiscard]] static Desk::Message to_loop(Loop* loop, std::unique_ptr<Finished> finished);
  void on_finished(std::unique_ptr<Finished> finished);
  void close_attempt(Held& held);
  void hold_back_where_told(const JobPlan& plan, const Step& step);
  [[nodiscard]] Attempt draft_without_word(const Held& held, AttemptResult result) const;
  void ask_to_stop(Held& held, StopReason why);
  void on_due(const HeldAttempts::Due& due);
  [[nodiscard]] std::uint32_t may_open_next(const Held& held, StateKind next) const;
  void on_grace_over(Held& held);
  void log_decision(const OpenAttempt& attempt, const Step& step) const;

  // loop_commits.cpp
  void flush();
  void send(std::shared_ptr<Batch> batch);
  void on_committed(const std::shared_ptr<Batch>& batch, Result<Committed> answer);
  void on_applied(Step& step, StepAnswer& answer);
  void on_stale(const Step& step);
  void on_read_again(const OpenName& name, Generation generation, const ReadAgain& read);
  void on_refused(const std::shared_ptr<Batch>& batch, const Error& error);
  void substitute(const Step& step, const Error& error);
  void on_trouble(const Error& error);
  void on_damage(const Error& error);
  void stop_because(const Error& error, const std::string& what);
  void on_store_trouble(const std::shared_ptr<Batch>& batch, const Error& error);
  void look_up_batch();
  void on_looked_up(const std::shared_ptr<Batch>& batch, const Result<WorkerRecord>& self);
  void reconcile(const std::shared_ptr<Batch>& batch);
  void want_read_back(Duration pause = Duration::zero());
  void read_back();
  void on_read_back(OpenAttempts open);

  // loop_claims.cpp
  void claim_if_useful();
  void on_heads(std::vector<LaneHead> heads);
  [[nodiscard]] Scheduler::LaneView view_of(const LaneHead& head) const;
  [[nodiscard]] Refill refill_for(const std::vector<Step>& steps);
  void end_refill(Batch& batch);
  void on_claimed(Result<Claims> claims, const std::vector<LaneShare>& asked);
  void take_claims(Claims claims);
  void evaluate_condition(Claimed claimed);
  void on_condition(const std::shared_ptr<OpenAttempt>& ready, bool wanted);
  void start_claimed(std::vector<Claimed> claimed, bool has_run = false);
  [[nodiscard]] bool may_claim();
  void see(const Job& job, const Workflow& workflow);
  void serve_again();
  void refresh(const Job& job);
  void forget_if_unused(JobId job);

  // loop_holdings.cpp
  void compare_holdings();
  void on_compared(const HeldInStore& stored, BatchNumber acknowledged, Timestamp asked_at);
  void adopt_unknown(std::vector<Claimed> open);
  void end_withdrawn(const OpenName& name);
  void on_setback(const std::string& evidence);
  void read_after_setback();
  void on_read_after_setback(const Remembered& remembered);
  void report_forgotten(const std::vector<OpenName>& attempts);

  // loop_upkeep.cpp
  void renew();
  void on_renewed(WorkerId worker, Timestamp sent_at, const Status& renewed);
  void on_lease_lost();
  void on_lease_over();
  void want_limits_report();
  void report_limits();
  void look_at_availability(Timestamp now);
  void sweep();
  void on_swept(const Result<Swept>& swept);
  void on_sweep_failed(const Error& error);
  void refresh_jobs();
  void on_refreshed(const std::vector<Job>& jobs,
                    const std::vector<std::pair<TaskId, CancelCause>>& cancelled_items);
  void stop_now();
  void finish_stopping();
  void set_trouble(std::string text);

  // Set in the constructor.
  std::shared_ptr<Store> store_;
  EngineOptions options_;
  const Clock& clock_;
  std::shared_ptr<Desk> desk_;  // shared: an abandoned piece may still post to it
  EventFeed feed_;
  std::shared_ptr<const ExecutionPorts> ports_;  // shared: an abandoned handler may use it still

  // For any thread.
  StatusBoard board_;
  CodeShelf shelf_;

  std::atomic<bool> is_kept_;      ///< to some jobs
  std::function<void()> on_news_;  ///< set before a thread drives

  // Owned by the thread that drives.
  JobBook jobs_;
  HeldAttempts held_;
  Claimer claimer_;
  CommitQueue commits_;
  Lease lease_;
  AcknowledgedResults acknowledged_;
  Holdings holdings_;
  WorkerHello hello_;  ///< its limits change
  Errand limits_report_;
  Timestamp limits_reported_at_;
  bool has_unreported_limits_ = false;  ///< the store did not take the last report
  Errand comparison_;                   ///< planned: before the next renewal
  Timestamp holds_since_;               ///< as of the last look that showed no difference
  std::uint64_t seen_setbacks_ = 0;
  bool is_set_back_ = false;  ///< and not everything has been read again yet
  Timestamp read_after_setback_at_;
  std::map<TaskId, Version> conditions_;  ///< being evaluated
  bool has_news_ = true;
  Errand sweep_;
  bool stopping_ = false;
  Timestamp stop_deadline_;
  Timestamp next_look_;
  Timestamp next_availability_look_;
  /// The store may hold attempts open for us that we know nothing of: answers were lost.
  Errand read_back_;
  std::uint64_t seen_mark_ = 0;

  Crew crew_;  // last: its threads use everything above
};

}  // namespace pawl::runtime
