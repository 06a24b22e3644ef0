#include "sql/task_codec.hpp"

#include <optional>
#include <type_traits>

#include "sql/decoded.hpp"

namespace pawl::sql {

namespace {

struct Flatten {
  StateColumns& to;
  void operator()(const Waiting& at) const {
    // The mask uses all 64 bits, but SQL integers are signed.
    to.satisfied = static_cast<std::int64_t>(at.satisfied);
  }
  void operator()(const Ready& /*at*/) const {}
  void operator()(const Running& at) const {
    to.worker = at.worker;
    to.opened_at = at.opened_at;
  }
  void operator()(const RetryScheduled& at) const { to.next_run_at = at.next_run_at; }
  void operator()(const AwaitingReview& at) const { set_reason(at.reason); }
  void operator()(const Expanded& at) const {
    to.children = at.children;
    to.children_open = at.open;
    to.children_failed = at.failed;
  }
  void operator()(const Succeeded& at) const {
    to.stands = at.attempt;
    to.edited_by = at.edited_by;
  }
  void operator()(const Skipped& at) const { set_reason(at.reason); }
  void operator()(const Failed& at) const {
    set_reason(at.cause);
    to.discarded = at.discarded;
  }
  void operator()(const Cancelled& at) const { set_reason(at.cause); }
  template <class Reason>
  void set_reason(Reason reason) const {
    to.reason = static_cast<std::int64_t>(reason);
  }
};

TaskState state_from(StateKind kind, const StateColumns& from) {
  const std::int64_t reason = from.reason.value_or(0);
  switch (kind) {
    case StateKind::waiting:
      return Waiting{static_cast<std::uint64_t>(from.satisfied.value_or(0))};
    case StateKind::ready:
      return Ready{};
    case StateKind::running:
      return Running{from.worker.value_or(WorkerId{}), from.opened_at.value_or(no_time)};
    case StateKind::retry_scheduled:
      return RetryScheduled{from.next_run_at.value_or(no_time)};
    case StateKind::awaiting_review:
      return AwaitingReview{static_cast<ReviewReason>(reason)};
    case StateKind::expanded:
      return Expanded{from.children.value_or(0), from.children_open.value_or(0),
                      from.children_failed.value_or(0)};
    case StateKind::succeeded:
      return Succeeded{from.stands.value_or(0), from.edited_by.value_or(ReviewId{})};
    case StateKind::skipped:
      return Skipped{static_cast<SkipReason>(reason)};
    case StateKind::failed:
      return Failed{static_cast<FailCause>(reason), from.discarded.value_or(false)};
    case StateKind::cancelled:
      return Cancelled{static_cast<CancelCause>(reason)};
  }
  throw Fault(ErrorCode::corrupt,
              "a task has the unknown state " + std::to_string(static_cast<int>(kind)));
}

void read_task(const Cursor& row, Task& task) {
  Columns columns(row);
  columns.into(task.id);
  columns.into(task.job);
  columns.into(task.item);
  columns.into(task.lane);
  columns.into(task.version);
  const auto kind = columns.as<StateKind>();
  columns.into(task.epoch);
  columns.into(task.round);
  columns.into(task.expansion);
  columns.into(task.attempts);
  columns.into(task.cause);
  columns.into(task.counts.failures);
  columns.into(task.counts.rejections);
  columns.into(task.counts.rate_limit_waits);
  columns.into(task.counts.interruptions);
  columns.into(task.counts.attempts);
  StateColumns state;
  columns.into(state.satisfied);
  columns.into(state.worker);
  columns.into(state.opened_at);
  columns.into(state.next_run_at);
  columns.into(state.reason);
  columns.into(state.discarded);
  columns.into(state.children);
  columns.into(state.children_open);
  columns.into(state.children_failed);
  columns.into(state.stands);
  columns.into(state.edited_by);
  task.state = state_from(kind, state);
  task.feedback = decoded_or_none<Feedback>(columns.view());
  if (!columns.is_null()) {
    ChildPart child;
    columns.into(child.parent);
    columns.into(child.expansion);
    columns.into(child.key);
    columns.into(child.data);
    task.child = std::move(child);
  }
}

}  // namespace

Task task_of(const Cursor& row) {
  Task task;
  reading_row([&] { return "task " + std::to_string(task.id.value()); },
              [&] { read_task(row, task); });
  return task;
}

StateColumns state_columns_of(const TaskState& state) {
  StateColumns columns;
  std::visit(Flatten{columns}, state);
  return columns;
}

ChildColumns child_columns_of(const Task& task) {
  if (!task.child) return {};
  const ChildPart& child = *task.child;
  return {.parent = child.parent,
          .expansion = child.expansion,
          .key = child.key,
          .data = child.data.text()};
}

std::optional<std::string> feedback_text(const Task& task) { return encoded(task.feedback); }

}  // namespace pawl::sql
