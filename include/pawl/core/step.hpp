#pragma once

/// One atomic step of one task: everything that a decision changes, written together or not at
/// all. The core makes steps; the store writes them as given.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/decide.hpp"
#include "pawl/core/event.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/task.hpp"

namespace pawl {

/// What the end of a task means downstream.
enum class Flow : std::uint8_t {
  none,       ///< nothing ended
  satisfied,  ///< dependents are one need closer
  broken,     ///< everything downstream is Skipped(upstream_failed)
};

/// A child to be created by an expansion.
struct NewChild {
  std::string key;
  Json data;
};

struct Step {
  StateKind was = StateKind::running;  ///< the state the decision was made from
  Version expected = 0;                ///< the version it was made from; otherwise: fenced
  Task next;                           ///< the row as it will be; its version is the store's
  std::optional<Attempt> closed;
  Flow flow = Flow::none;
  std::vector<NewChild> children;
  std::optional<Review> review;  ///< to be opened; id, digest and times are the store's
  std::vector<Event> events;     ///< in order; seq, job and at are the store's
  bool stops_job = false;        ///< on_failure: stop_job
  bool is_decision = false;      ///< counts for the no-progress budget
  Generation generation = 0;     ///< of the job the decision was made from; 0: do not compare

  /// Set by the runtime: what this step makes Ready may be opened at once for this worker, at most
  /// `open_max` of it, where no limit stands in the way.
  WorkerId open_for;
  std::uint32_t open_max = 0;
};

/// Closes the open attempt of a Running task: completes `closed` (feedback, decision) and returns
/// the step. `closed` carries result, error, verdict, output, times and the cancel in force;
/// everything the task knows (number, epoch, round, cause, counts) is filled in here.
/// `advice` is a custom decider's answer, where one was asked.
[[nodiscard]] Step close(const StageDefinition& stage, const Task& task, Attempt closed,
                         std::vector<NewChild> children = {}, const Advice* advice = nullptr);

/// Opens the next attempt of a Ready task: the same task, Running, with the next number and a
/// version that no attempt opened earlier has had. Appends attempt.started, and retry.started where
/// it is not the first.
[[nodiscard]] Task open(const StageDefinition& stage, Task ready, WorkerId worker, Timestamp now,
                        std::vector<Event>& events);

/// A claimed task whose `when` is false: Skipped by choice, without an attempt.
[[nodiscard]] Step skip_by_choice(const Task& ready);

/// A scheduled retry whose time has come: Ready.
[[nodiscard]] Task wake(Task scheduled);

/// What a person's answer means for a task that awaits review. `reviewed` is the newest attempt.
/// For request_changes the step only closes the question (the task keeps its state); the rerun that
/// follows is `rerun` below, on the stage named by `changes_rerun`. `invalid` when the answer does
/// not fit: an attempt that does not exist, edits missing, a note missing, changes asked of a human
/// stage without `changes_rerun`.
[[nodiscard]] Result<Step> answer(const StageDefinition& stage, const Task& task,
                                  const Review& review, const Answer& answer, Timestamp now);

/// The children of an expansion have ended (or too many have failed): what becomes of the parent.
/// `succeeded_output` is the parent's attempt number whose output stands.
[[nodiscard]] Step children_ended(const StageDefinition& stage, const Task& parent,
                                  const Expanded& counts, Timestamp now);

/// rerun(item, stage): the one verb that goes back. `tasks` are all stored tasks of the item
/// (children excluded). The stage becomes Ready and everything downstream Waiting, all with
/// epoch + 1 and fresh counts; numbers go on. Each returned step replaces one row; a Running one
/// closes its attempt as interrupted, superseded. Rows that were never stored need no step.
[[nodiscard]] std::vector<Step> rerun(const Workflow& workflow, StageIndex stage,
                                      const std::vector<Task>& tasks, Cause cause,
                                      const std::optional<Feedback>& feedback, Timestamp now);

/// An operator cancels a task that is not running: Cancelled.
[[nodiscard]] Step cancel(const Task& task, CancelCause cause);

}  // namespace pawl
