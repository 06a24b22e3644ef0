#pragma once

/// Applies the steps that the core has decided, and everything that follows from them: dependents
/// released or given up, children created and counted, reviews opened, items settled.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "store/ledger/admission.hpp"
#include "store/ledger/books.hpp"

namespace pawl::store {

/// What an operation has done to one item so far. `TaskFlow::settle` draws the conclusion.
struct ItemChange {
  TouchedJob& touched;
  std::vector<Event> events;  ///< for the log, in order
  std::uint32_t sinks_ended = 0;
  std::uint32_t failed = 0;
  std::optional<CancelCause> cancelled;  ///< a task was cancelled, so the item did not succeed
  bool look_closely = false;  ///< something downstream had been given up: look at every task
};

class TaskFlow {
 public:
  TaskFlow(Books& books, Admission& admission)
      : books_(books), admission_(admission), rows_(books.rows()), now_(books.now()) {}

  /// Checks that the step is still meant for this row and this view of the job, writes the row and
  /// everything that follows from it, and logs it as one entry.
  [[nodiscard]] StepAnswer apply(const Step& step);
  /// Records the end of a task whose row was written already.
  void record_end(TouchedJob& touched, const Task& task, Flow flow, std::vector<Event> events);
  /// Writes one row outside of the usual order (a rerun, a cancelled item), with the attempt that
  /// was open in it.
  void write_step(TouchedJob& touched, Step step, const Task& before);

  /// Ends a stage that will never run. It gets a row, so that every count stays a sum of rows.
  void give_up(ItemChange& change, const Task& from, StageIndex stage, const TaskState& as);
  /// Settles the item if every task of it has ended.
  void settle(ItemChange& change, ItemId item);
  /// Ends every task of an item that is not running. Running ones are asked to stop. The item is
  /// active, or a limit stopped it.
  void end_item(TouchedJob& touched, ItemId item, CancelCause cause);
  /// Cancels the children of a parent that no longer waits for them. A running child is fenced: its
  /// attempt ends here.
  void end_children(TouchedJob& touched, const Task& parent, CancelCause cause);
  /// What the task was given: the data of its child or item, or the params of the job.
  [[nodiscard]] Json input_of(const TouchedJob& touched, const Task& task);
  /// Closes the pending review of a task without an answer, if there is one.
  void supersede_review(TaskId task);
  /// What follows from a job's counters: stages released, the job given up or ended.
  void bring_up_to_date(TouchedJob& touched);

 private:
  /// A step that is being applied.
  struct Applying {
    const Step& step;
    ItemChange change;
    StepAnswer answer;
  };

  [[nodiscard]] bool overlooks_cancel(const Job& job, const Step& step);
  void end(Applying& applying, const Task& task, Flow flow);
  void give_up_after(Applying& applying, const Task& task);
  void release(Applying& applying, const Task& from, StageIndex dependent);
  void open_if_allowed(Applying& applying, Task& ready);
  void create_children(TouchedJob& touched, const Task& parent, std::span<const NewChild> children);
  void count_ended_child(TouchedJob& touched, const Task& child);
  void open_review(TouchedJob& touched, const Task& task, Review draft);
  void release_job_wide(TouchedJob& touched, StageIndex stage);

  Books& books_;
  Admission& admission_;
  Rows& rows_;
  Timestamp now_;
};

}  // namespace pawl::store
