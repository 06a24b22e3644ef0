#pragma once

/// What must happen to jobs, items and tasks, written a second time: plainly, from the design and
/// docs/reference/states.md, without the core and without a ledger.
///
/// The model gets the requests to a store and the results of attempts (result, error, verdict,
/// children and usage), never the decisions about them. It computes what must follow; `compare`
/// checks that against the store's rows. Nothing is kept that can be counted: sums are loops over
/// everything.
///
/// If a store is free to choose, the model reads the choice and checks that it was allowed: the ids
/// of new rows, which Ready tasks a claim opened, what a sweep with a limit did first, and whether
/// a claim with room left met a budget that is used up.
///
/// Not modelled: custom deciders, adoption, imported histories, jobs that arrive from elsewhere,
/// which fields of an output may be edited, the rate of a pool to which jobs give different ones;
/// lanes, payloads, events, tokens, sessions and the order of claims.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "pawl/store/people.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"
#include "simulation/model_values.hpp"

namespace pawl::simulation {

/// The policies of a stage, in one function.
[[nodiscard]] Ending ending_of(const StageDefinition& stage, const ModelTask& task,
                               const Observation& seen, std::optional<CancelCause> cancelled,
                               std::optional<std::uint32_t> attempts_cap);

class Model {
 public:
  /// The rows are read only for ids and choices.
  explicit Model(Records& rows) : rows_(rows) {}

  // Requests to the store that were executed. Each function computes what must follow.

  void enlisted(WorkerId worker, const WorkerHello& hello, Timestamp now);
  void renewed(WorkerId worker, const Status& done, Timestamp now);
  void retired(WorkerId worker, const Status& done);
  /// Returns whether the job is new; a known key returns the job that has it.
  bool created(const NewJob& fresh, const Result<Job>& done, Timestamp now);
  void added(const AddItems& chunk, JobId job, const Result<Added>& done, Timestamp now);
  void claimed(const ClaimRequest& request, const Result<Claims>& done, Timestamp now);
  void committed(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                 const Refill& refill, const Committed& done, Timestamp now);
  void swept(const SweepRequest& request, const Swept& done, Timestamp now);
  void acted(const Act& act, const Actor& actor, const Result<Job>& done, Timestamp now);
  void changed(const PeopleChange& change, const Actor& actor, const Status& done, Timestamp now);

  /// Compares the jobs that the last operation touched with the store's rows.
  void compare();
  /// The same for every job.
  void compare_everything();

  /// One sentence for each difference so far, with job, item, stage and both values.
  [[nodiscard]] const std::vector<std::string>& differences() const { return differences_; }

 private:
  // model.cpp

  ModelJob& touch(JobId id);
  void claims(std::span<const LaneShare> shares, std::uint32_t max, WorkerId worker,
              const Claims& done);
  [[nodiscard]] StepOutcome apply(const Step& step, const StepAnswer& answer);

  // model_flow.cpp: what follows from the end of a task.

  [[nodiscard]] ModelTask* find(TaskId id);
  [[nodiscard]] const StageDefinition& stage_of(const ModelTask& task);
  [[nodiscard]] std::vector<ModelTask*> tasks_of(JobId job);
  [[nodiscard]] std::vector<ModelTask*> children_of(const ModelTask& parent);
  ModelTask& make(const ModelJob& job, ItemId item, TaskId id, TaskState state);
  void put(ModelTask& task, TaskState state);
  void supersede(TaskId task);
  void fresh_epoch(ModelTask& task, Cause cause);
  void close(ModelTask& task, const Observation& seen, std::optional<CancelCause> cancelled);
  /// Ends a running attempt whose result is no longer wanted.
  void cut_short(ModelTask& task);
  void ended(ModelTask& task);
  void child_ended(ModelTask& child);
  void end_children(ModelTask& parent, CancelCause cause);
  void end_item(ItemId item, CancelCause cause);
  /// Gives every stage of an item that has not begun the state its needs imply.
  void follow_needs(ModelJob& job, ItemId item);
  /// The same for the stages of the whole job. They start only after the operation.
  void follow_job_wide_needs(ModelJob& job, bool may_begin);
  [[nodiscard]] bool has_failed_too_often(const ModelJob& job);
  void finish(ModelJob& job);
  void cancel_job(ModelJob& job, CancelCause cause);
  void progress(ModelJob& job);
  [[nodiscard]] bool is_satisfied(const ModelTask& task);
  [[nodiscard]] bool is_broken(const ModelTask& task);
  [[nodiscard]] std::optional<CancelCause> cancel_over(const ModelTask& task);
  [[nodiscard]] ItemState state_of_item(const ModelItem& item);

  // model_opening.cpp: what may be opened.

  void open(ModelTask& task, WorkerId worker);
  [[nodiscard]] std::int64_t attempts_open(JobId job);
  [[nodiscard]] std::int64_t attempts_opened(JobId job);
  [[nodiscard]] Usage used(JobId job);
  [[nodiscard]] BudgetKind used_up(const ModelJob& job);
  [[nodiscard]] bool is_going(const ModelJob& job) const;
  void exhaust(ModelJob& job, BudgetKind budget);
  /// A budget that is used up ends or pauses a job that wants to open something.
  void ask_budget(ModelJob& job);
  [[nodiscard]] std::string why_not_open(const ModelTask& task, WorkerId worker, bool own_slot);
  void check_and_open(const Task& opened, WorkerId worker, bool own_slot);
  void learn_exhaustion(ModelJob& job);

  // model_acts.cpp: operations of people. Each returns the expected error.

  using Refusal = std::optional<ErrorCode>;
  void judge(const std::string& what, const Refusal& expected, const Status& done,
             const std::string& where = {});
  Refusal carry_out(const CancelJob& act);
  Refusal carry_out(const PauseJob& act);
  Refusal carry_out(const ResumeJob& act);
  Refusal carry_out(const ReviveJob& act);
  Refusal carry_out(const SetBudget& act);
  Refusal carry_out(const ReopenSubmission& act);
  Refusal carry_out(const CancelItem& act);
  Refusal carry_out(const Rerun& act);
  Refusal carry_out(const PauseStage& act);
  Refusal carry_out(const ResumeStage& act);
  Refusal carry_out(const SkipTask& act);
  Refusal carry_out(const DiscardDeadLetter& act);
  Refusal carry_out(const PurgeItem& act);
  Refusal carry_out(const TrustJob& act);
  [[nodiscard]] Refusal may_change_stage(JobId id, StageIndex stage);
  [[nodiscard]] Refusal may_go_on(const ModelJob& job);
  [[nodiscard]] Refusal may_rerun(const ModelTask& task);
  void rerun(ModelTask& task, Cause cause);
  void rerun_children(ModelTask& parent, TaskId only, Cause cause);
  void reset_downstream(const ModelTask& task, Cause cause);
  void reset_job_wide_after(ModelJob& job, StageIndex stage);

  // model_reviews.cpp: reviews from their opening to their end.

  void open_review(const ModelTask& task, ReviewReason reason);
  [[nodiscard]] ModelReview* find(ReviewId id);
  [[nodiscard]] const ReviewRules& rules_of(const ModelReview& review);
  Refusal carry_out(const AnswerReview& act);
  Refusal carry_out(const UndoAnswer& act);
  Refusal carry_out(const ClaimReview& act);
  Refusal carry_out(const ReleaseReview& act);
  Refusal carry_out(const AssignReview& act);
  [[nodiscard]] Refusal may_answer(const ModelReview& review);
  /// Whether the answer, with what it leaves open filled in, could take effect.
  [[nodiscard]] Refusal fits(const ModelReview& review, const Answer& answer);
  [[nodiscard]] bool decides(const ModelReview& review, const Answer& answer);
  void show_proposal(ModelReview& review);
  [[nodiscard]] ModelTask& changes_target(const ModelTask& task);
  void make_effective(ModelReview& review, const Answer& answer);
  void answer_falls_due(ModelReview& review);
  void reopen(ModelReview& review);
  void notice_falls_due(ModelReview& review);
  void reject_overdue(ModelReview& review);
  std::int64_t answers_due(const Swept& done);
  std::int64_t notices_due(const Swept& done);

  // model_people.cpp: who may do what, and what the audit trail says of it.

  [[nodiscard]] bool is_known(const Actor& actor) const;
  [[nodiscard]] Role role_of(const Actor& actor) const;
  /// Whether the actor has at least this role. `agents`: whether agents may do it, too.
  [[nodiscard]] bool may(const Actor& actor, Role least, bool agents) const;
  [[nodiscard]] Refusal may_act(const Act& act, const Actor& actor) const;
  [[nodiscard]] std::set<std::string> groups_of(const std::string& name) const;
  [[nodiscard]] bool is_assigned(const ModelReview& review, const std::string& name) const;
  Refusal carry_out(const PeopleChange& change);
  /// What an accepted act leaves in the trail, as things are before it.
  [[nodiscard]] ModelAudit audit_of(const Act& act);
  void expect_audit(ModelAudit entry);

  // model_compare.cpp

  void compare(const ModelJob& job);
  void compare_job(const ModelJob& job, const Job& row);
  void compare_items(const ModelJob& job);
  void compare_tasks(const ModelJob& job);
  void compare_reviews(const ModelJob& job);
  void compare_review(ModelReview& review, const Review& row);
  void compare_votes(const ModelReview& review, const std::string& name);
  void compare_audit();
  void differ(const std::string& sentence) { differences_.push_back(sentence); }
  [[nodiscard]] std::string named(const ModelTask& task);
  [[nodiscard]] std::string named(const ModelJob& job) const;

  Records& rows_;
  Timestamp now_;  ///< of the current operation
  std::map<JobId, ModelJob> jobs_;
  std::map<ItemId, ModelItem> items_;
  std::map<TaskId, ModelTask> tasks_;
  std::vector<ModelReview> reviews_;
  std::map<std::string, ModelPerson> people_;
  Actor actor_;                     ///< of the current operation
  std::vector<ModelAudit> audit_;   ///< expected of the current operation
  std::int64_t audit_entries_ = 0;  ///< compared so far
  std::map<WorkerId, ModelWorker> workers_;
  std::map<std::string, std::vector<Opening>> openings_;  ///< by pool with a rate
  std::map<JobId, bool> touched_;
  std::vector<TaskId> made_ready_;  ///< by the current step, in order
  std::vector<std::string> differences_;
};

/// Whether a job that ended for this cause can be revived.
[[nodiscard]] bool is_limit(CancelCause cause);

// Values that follow from a definition, computed each time.

[[nodiscard]] std::vector<StageIndex> needs_of(const Workflow& workflow, StageIndex stage);
[[nodiscard]] bool is_downstream(const Workflow& workflow, StageIndex stage, StageIndex of);
/// The pool of a stage with the limits that any stage sets for it.
[[nodiscard]] Limits limits_of(const Workflow& workflow, StageIndex stage);

}  // namespace pawl::simulation
