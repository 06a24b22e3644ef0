#pragma once

/// What every write transaction of every store does, written once.
///
/// A ledger lives for one transaction. It applies the core's decisions to rows, keeps the counters
/// of jobs and items beside them, and releases what has become ready. It holds no rule of its own:
/// whether something may run, what an answer means and when a job has ended is asked of the core.
///
/// Call any number of verbs, then `finish` once: it brings the touched jobs up to date and writes
/// them. A ledger that is dropped without `finish` belongs to a transaction that is rolled back.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "store/rows.hpp"

namespace pawl {

class Ledger {
 public:
  Ledger(Rows& rows, Timestamp now) : rows_(rows), now_(now) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // submission.cpp
  [[nodiscard]] Result<Job> create_job(const NewJob& fresh);
  [[nodiscard]] Result<Added> add_items(const AddItems& chunk);
  [[nodiscard]] Result<Submitted> submit(const NewJob& fresh, const AddItems& chunk);

  // claim.cpp
  [[nodiscard]] Claims claim(const ClaimRequest& request);
  /// Applies the steps, claims for the slots they leave free, and finishes.
  [[nodiscard]] Committed commit(WorkerId worker, std::span<const Step> steps,
                                 const Refill& refill);

  // ledger.cpp
  [[nodiscard]] StepAnswer apply(const Step& step);
  [[nodiscard]] std::vector<JobMark> finish();

  // sweep.cpp
  [[nodiscard]] Swept sweep(const SweepRequest& request);

  // acts.cpp
  [[nodiscard]] Result<Job> act(const Act& act);

  // arrival.cpp
  [[nodiscard]] Result<Arriving> receive(const Arrival& arrival);

 private:
  struct Touched {
    Job* job = nullptr;
    const Workflow* workflow = nullptr;
    std::vector<Event> events;  ///< of the job itself, written by `finish`
  };
  /// What one step did to its item; settled at the end of the step.
  struct ItemChange {
    std::uint32_t sinks_ended = 0;
    std::uint32_t failed = 0;
    std::optional<CancelCause> cancelled;  ///< a task was cancelled, so the item did not succeed
    bool look_closely = false;  ///< something downstream had been given up: look at every task
  };

  [[nodiscard]] bool overlooks_cancel(const Job& job, const Step& step);
  Touched* touch(JobId id);
  /// What follows from a job's counters: stages released, the job given up or ended.
  void bring_up_to_date(Touched& at);
  [[nodiscard]] bool may_open_with(Touched& at, const Step& step);
  /// What a worker opened that is gone would never be swept again.
  [[nodiscard]] bool is_present(WorkerId worker);

  /// Every write of a task's row gives it its next version; every change of a job that others must
  /// notice gives it its next generation.
  [[nodiscard]] bool replace(Task& next, Version expected);
  [[nodiscard]] bool try_insert(Task& fresh);  ///< false: there is such a row
  void rewrite(Task& next, const Task& before);
  void insert(Task& fresh);
  void has_changed(Job& job) const;

  // submission.cpp
  [[nodiscard]] Job make_job(const NewJob& fresh);
  void add_item(Touched& at, const NewItem& item, std::string key, std::uint32_t pass,
                const AddItems& chunk, Added& added);
  void add_task_with_history(Touched& at, Task task, const ItemHistory& history);

  // claim.cpp
  void claim_share(Touched& at, const LaneShare& share, WorkerId worker, Claims& claims);

  // counting.cpp
  void enter(Touched& at, const Task& task);
  void leave(Touched& at, const Task& task, StateKind from, bool was_discarded = false);
  [[nodiscard]] bool may_open_now(Touched& at, StageIndex stage);
  [[nodiscard]] bool rate_allows(const Touched& at, StageIndex stage);
  void settle(Touched& at, ItemId item, const ItemChange& change, std::vector<Event>& events);
  void log(JobId job, std::span<const Event> events);

  // flow.cpp
  void ended(Touched& at, const Task& task, Flow flow, const Step& step, std::vector<Event>& events,
             StepAnswer& answer);
  void release(Touched& at, const Task& from, StageIndex dependent, const Step& step,
               std::vector<Event>& events, StepAnswer& answer, ItemChange& change);
  void give_up(Touched& at, const Task& from, StageIndex stage, const TaskState& as,
               std::vector<Event>& events, ItemChange& change);
  void open_if_allowed(Touched& at, Task& ready, const Step& step, std::vector<Event>& events,
                       StepAnswer& answer);
  void create_children(Touched& at, const Task& parent, std::span<const NewChild> children);
  void child_ended(Touched& at, const Task& child);
  void end_children(Touched& at, const Task& parent, CancelCause cause);
  void open_review(Touched& at, const Task& task, Review draft);
  void supersede_review(TaskId task);
  void release_job_wide(Touched& at, StageIndex stage);

  // sweep.cpp
  void interrupt(const Task& running);

  // acts.cpp
  Result<Job> carry_out(const CancelJob& act);
  Result<Job> carry_out(const PauseJob& act);
  Result<Job> carry_out(const ResumeJob& act);
  Result<Job> carry_out(const SetBudget& act);
  Result<Job> carry_out(const ReopenSubmission& act);
  Result<Job> carry_out(const CancelItem& act);
  Result<Job> carry_out(const Rerun& act);
  Result<Job> carry_out(const DiscardDeadLetter& act);
  Result<Job> carry_out(const PurgeItem& act);

  // arrival.cpp
  Result<Arriving> take_in(const BeginArrival& begun);
  Result<Arriving> take_in(const AddArrival& piece);
  Result<Arriving> take_in(const EndArrival& ended);
  [[nodiscard]] Status check_piece(const AddArrival& piece, const Arriving& at);
  void write_arrived(const ArrivingItem& arrived, const Arriving& at);
  void write_arrived(const ArrivingTask& arrived, const Arriving& at);
  void write_arrived(const Attempt& arrived, const Arriving& at);
  void write_arrived(const ArrivingReview& arrived, const Arriving& at);
  void write_arrived(const ArrivingEvents& arrived, const Arriving& at);
  void write_arrived(const ArrivedWhole& arrived, const Arriving& at);

  // trust.cpp
  /// Nothing is done to a job that is not whole yet, and an untrusted one does not go on.
  [[nodiscard]] Status may_act(const Act& act);
  [[nodiscard]] Status refuse_arriving(JobId job);
  [[nodiscard]] Status refuse_untrusted(JobId job);
  void accept(Job& job, const std::string& by, std::vector<Event>& events);
  Result<Job> carry_out(const TrustJob& act);
  Result<Job> abandon(Touched& at, const Arriving& arriving, CancelCause cause);

  // review_acts.cpp
  Result<Job> carry_out(const AnswerReview& act);
  Result<Job> carry_out(const UndoAnswer& act);
  Result<Job> carry_out(const ClaimReview& act);
  Result<Job> carry_out(const ReleaseReview& act);
  Status make_effective(Touched& at, Review review, const Answer& answer);
  [[nodiscard]] Task changes_target(const Touched& at, const Task& task);
  Status check_edits(const StageDefinition& stage, const Task& task, const Review& review,
                     const Answer& answer);

  // going_back.cpp
  Status go_back(Touched& at, const Task& task, Cause cause,
                 const std::optional<Feedback>& feedback);
  void rerun_item(Touched& at, const Task& task, Cause cause,
                  const std::optional<Feedback>& feedback);
  void rerun_job_wide(Touched& at, const Task& task, Cause cause,
                      const std::optional<Feedback>& feedback);
  void rerun_children(Touched& at, const Task& parent, TaskId only, Cause cause,
                      const std::optional<Feedback>& feedback);
  void reset_downstream(Touched& at, const Task& task);
  void reset_job_wide_after(Touched& at, StageIndex stage);
  void write_step(Touched& at, Step step, const Task& before);
  void recount_item(Touched& at, ItemId item);
  [[nodiscard]] Status may_go_back(const Touched& at) const;
  [[nodiscard]] Status may_rerun(const Touched& at, const Task& task);

  Rows& rows_;
  Timestamp now_;
  std::map<JobId, Touched> touched_;
  std::map<std::string, Timestamp> held_rates_;  ///< pools whose rate said no, and until when
  std::map<WorkerId, bool> present_;             ///< the workers asked for, usually one
  std::vector<Event> spare_events_;              ///< memory of the last step's, to be used again
};

}  // namespace pawl
