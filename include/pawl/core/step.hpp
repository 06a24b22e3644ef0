#pragma once

/// One atomic step of one task: everything that a decision changes, written together or not at all.
/// The core makes steps; the store writes them unchanged.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/decide.hpp"
#include "pawl/core/event.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/task.hpp"

namespace pawl {

/// What the end of a task means for its dependents.
enum class Flow : std::uint8_t {
  none,       ///< nothing ended
  satisfied,  ///< dependents have one need less to wait for
  broken,     ///< everything downstream is Skipped(upstream_failed)
};

/// A child to be created by an expansion.
struct NewChild {
  std::string key;
  Json data;
};

struct Step {
  StateKind was = StateKind::running;  ///< the state the decision was made from
  Version expected = 0;  ///< the version it was made from; fenced if the row has another
  Task next;             ///< the row as it will be; the store sets its version
  std::optional<Attempt> closed;
  Flow flow = Flow::none;
  std::vector<NewChild> children;
  std::optional<Review> review;  ///< to be opened; the store sets id, digest and times
  std::vector<Event> events;     ///< in order; the store sets seq, job and at
  bool stops_job = false;        ///< on_failure: stop_job
  bool is_decision = false;      ///< counts for the no-progress budget
  Generation generation = 0;     ///< of the job the decision was made from; 0: not compared

  /// Set by the runtime: up to `open_max` of the tasks that this step makes Ready may be opened at
  /// once for this worker, unless a limit prevents it.
  WorkerId open_for;
  std::uint32_t open_max = 0;
};

/// Closes the open attempt of a Running task: completes `closed` (feedback, decision) and returns
/// the step. The caller sets result, error, verdict, output, times and the cancel in force;
/// everything that the task knows (number, epoch, round, cause, counts) is filled in here.
/// `children` are those of an expansion. `advice` is the answer of a custom decider, if one was
/// asked.
[[nodiscard]] Step close(const StageDefinition& stage, const Task& task, Attempt closed,
                         std::vector<NewChild> children = {}, const Advice* advice = nullptr);

/// Opens the next attempt of a Ready task: the same task, Running, with the next number. The store
/// sets the version. Appends attempt.started, and retry.started unless it is the
/// first attempt.
[[nodiscard]] Task open(const StageDefinition& stage, Task ready, WorkerId worker, Timestamp now,
                        std::vector<Event>& events);

/// A claimed task whose `when` is false: Skipped by choice, without an attempt.
[[nodiscard]] Step skip_by_choice(const Task& ready);

/// Skips a task that waits for a claim, a retry or a reviewer, because a person wants it so:
/// Skipped by choice, and its dependents go on. `refused` in any other state, with what to do
/// instead.
[[nodiscard]] Result<Step> skip_by_hand(const StageDefinition& stage, const Task& task,
                                        const std::string& reason, const std::string& by);

/// A scheduled retry whose time has come: Ready.
[[nodiscard]] Task wake(Task scheduled);

/// What a reviewer's answer means for a task that awaits review. For request_changes the step only
/// closes the review and the task keeps its state; the rerun that follows is `rerun` below, from
/// the stage named by `changes_rerun`. `invalid` if the answer does not fit: an attempt that does
/// not exist, missing edits, a missing note, or changes requested from a human stage without
/// `changes_rerun`. The same holds for a rejection that `ends_item`.
[[nodiscard]] Result<Step> answer(const StageDefinition& stage, const Task& task,
                                  const Review& review, const Answer& answer, Timestamp now);
/// Whether the answer ends the whole item instead of failing the task.
[[nodiscard]] bool ends_item(const StageDefinition& stage, const Task& task, const Answer& answer);

/// The step of the parent when the children of an expansion have ended, or too many have failed.
/// `counts` are those of the children.
[[nodiscard]] Step children_ended(const StageDefinition& stage, const Task& parent,
                                  const Expanded& counts, Timestamp now);

/// Reruns an item from `stage`: the only operation that goes back. `tasks` are all stored tasks of
/// the item (children excluded). The stage becomes Ready and everything downstream Waiting, all
/// with epoch + 1 and fresh counts; attempt numbers continue. Each returned step replaces one row;
/// for a Running task it closes the attempt as interrupted, superseded. Tasks without a row need no
/// step.
[[nodiscard]] std::vector<Step> rerun(const Workflow& workflow, StageIndex stage,
                                      const std::vector<Task>& tasks, Cause cause,
                                      const std::optional<Feedback>& feedback, Timestamp now);

/// Cancels a task that is not running, on behalf of an operator.
[[nodiscard]] Step cancel(const Task& task, CancelCause cause);

}  // namespace pawl
