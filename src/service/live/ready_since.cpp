#include "service/live/ready_since.hpp"

#include <algorithm>

namespace pawl::service {
namespace {

/// When the last attempt or review of a task ended; none if it had neither.
Result<Timestamp> last_end(Records& records, TaskId task) {
  const Result<std::vector<Attempt>> attempts = records.attempts(task);
  if (!attempts) return std::unexpected(attempts.error());
  Timestamp last = attempts->empty() ? no_time : attempts->back().ended_at;
  const Result<std::vector<Review>> reviews = records.reviews({.task = task});
  if (!reviews) return std::unexpected(reviews.error());
  for (const Review& review : *reviews) last = std::max(last, review.closed_at);
  return last;
}

}  // namespace

Result<Timestamp> ready_since(Records& records, const Job& job, const Workflow& workflow,
                              TaskId id) {
  const Result<Task> task = records.task(id);
  if (!task) return std::unexpected(task.error());
  if (task->kind() != StateKind::ready) return fail(ErrorCode::not_found, "the task is not ready");
  Result<Timestamp> last = last_end(records, id);
  if (!last || *last != no_time) return last;
  // A child began to wait when its parent was split.
  if (task->child) return last_end(records, task->child->parent);
  Timestamp since = job.submitted_at;
  if (!task->item) return since;
  const Result<Item> item = records.item(task->item);
  if (!item) return std::unexpected(item.error());
  since = std::max(since, item->submitted_at);
  for (const StageIndex need : workflow.plan(stage_of(id)).needs) {
    const Result<Timestamp> end = last_end(records, task_id(task->item, need));
    if (!end) return end;
    since = std::max(since, *end);
  }
  return since;
}

}  // namespace pawl::service
