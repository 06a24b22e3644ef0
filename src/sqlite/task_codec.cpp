#include "sqlite/task_codec.hpp"

#include <optional>
#include <type_traits>

#include "sqlite/decoded.hpp"

namespace pawl::sqlite {

namespace {

constexpr char insert_task[] =
    "INSERT INTO tasks (id, job, item, lane, age, version, state, epoch, round, expansion, "
    "attempts, cause, failures, rejections, rate_limit_waits, interruptions, epoch_attempts, "
    "satisfied, worker, opened_at, next_run_at, reason, discarded, children, children_open, "
    "children_failed, stands, edited_by, feedback, parent, of_expansion, child_key, child_data) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
    "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33) "
    "ON CONFLICT (id) DO NOTHING";

constexpr char update_task[] =
    "UPDATE tasks SET version = ?3, state = ?4, epoch = ?5, round = ?6, expansion = ?7, "
    "attempts = ?8, cause = ?9, failures = ?10, rejections = ?11, rate_limit_waits = ?12, "
    "interruptions = ?13, epoch_attempts = ?14, satisfied = ?15, worker = ?16, opened_at = ?17, "
    "next_run_at = ?18, reason = ?19, discarded = ?20, children = ?21, children_open = ?22, "
    "children_failed = ?23, stands = ?24, edited_by = ?25, feedback = ?26 "
    "WHERE id = ?1 AND version = ?2";

/// The columns of the states.
struct StateColumns {
  std::optional<std::int64_t> satisfied;
  std::optional<WorkerId> worker;
  std::optional<Timestamp> opened_at;
  std::optional<Timestamp> next_run_at;
  std::optional<std::int64_t> reason;
  std::optional<bool> discarded;
  std::optional<std::int64_t> children;
  std::optional<std::int64_t> children_open;
  std::optional<std::int64_t> children_failed;
  std::optional<AttemptNumber> stands;
  std::optional<ReviewId> edited_by;
};

struct Flatten {
  StateColumns& to;
  void operator()(const Waiting& at) const {
    // The mask uses all 64 bits; SQLite's integers are signed.
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

StateColumns columns_of(const TaskState& state) {
  StateColumns columns;
  std::visit(Flatten{columns}, state);
  return columns;
}

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

/// By which lanes are ordered: the ordinal of the item, or a job-wide task's own.
std::int64_t age_of(const Task& task) {
  return task.item ? task.item.value() : ordinal_of(task.id);
}

}  // namespace

Task task_of(const Cursor& row) {
  Columns columns(row);
  Task task;
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
  return task;
}

bool insert_task_row(Connection& connection, const Task& task) {
  const StateColumns state = columns_of(task.state);
  const std::optional<std::string> feedback = encoded(task.feedback);
  const auto child = [&]<class T>(T ChildPart::* part) -> std::optional<T> {
    if (!task.child) return std::nullopt;
    return (*task.child).*part;
  };
  const Counts& counts = task.counts;
  return connection.prepared(insert_task)
             .run(task.id, task.job, task.item, task.lane, age_of(task), task.version, task.kind(),
                  task.epoch, task.round, task.expansion, task.attempts, task.cause,
                  counts.failures, counts.rejections, counts.rate_limit_waits, counts.interruptions,
                  counts.attempts, state.satisfied, state.worker, state.opened_at,
                  state.next_run_at, state.reason, state.discarded, state.children,
                  state.children_open, state.children_failed, state.stands, state.edited_by,
                  feedback, child(&ChildPart::parent), child(&ChildPart::expansion),
                  child(&ChildPart::key), child(&ChildPart::data)) > 0;
}

bool update_task_row(Connection& connection, const Task& next, Version expected) {
  const StateColumns state = columns_of(next.state);
  const std::optional<std::string> feedback = encoded(next.feedback);
  const Counts& counts = next.counts;
  return connection.prepared(update_task)
             .run(next.id, expected, next.version, next.kind(), next.epoch, next.round,
                  next.expansion, next.attempts, next.cause, counts.failures, counts.rejections,
                  counts.rate_limit_waits, counts.interruptions, counts.attempts, state.satisfied,
                  state.worker, state.opened_at, state.next_run_at, state.reason, state.discarded,
                  state.children, state.children_open, state.children_failed, state.stands,
                  state.edited_by, feedback) > 0;
}

}  // namespace pawl::sqlite
