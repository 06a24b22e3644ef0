#include "store/fitting.hpp"

#include <algorithm>

#include "pawl/core/shown.hpp"

namespace pawl::store {

bool fits(const Job& job, const JobFilter& filter) {
  return (!filter.ended || *filter.ended == job.has_ended()) &&
         (filter.workflow_name.empty() || filter.workflow_name == job.workflow_name);
}

bool fits(const Item& item, std::optional<CancelCause> job_cancelled, const ItemFilter& filter) {
  return (!filter.job || item.job == filter.job) &&
         (!filter.state || *filter.state == shown_state(item, job_cancelled)) &&
         (filter.category.empty() || filter.category == item.category) &&
         item.key.starts_with(filter.key_prefix);
}

bool fits(const Task& task, const TaskFilter& filter) {
  if (filter.job && task.job != filter.job) return false;
  if (filter.stage && task.stage() != *filter.stage) return false;
  if (filter.state && task.kind() != *filter.state) return false;
  if (filter.parent && (!task.child || task.child->parent != filter.parent)) return false;
  if (filter.worker) {
    const auto* running = std::get_if<Running>(&task.state);
    if (running == nullptr || running->worker != filter.worker) return false;
  }
  if (filter.discarded) {
    const auto* failed = std::get_if<Failed>(&task.state);
    if (failed == nullptr || failed->discarded != *filter.discarded) return false;
  }
  return true;
}

bool fits(const Review& review, const ReviewFilter& filter) {
  return (!filter.job || review.job == filter.job) &&
         (!filter.task || review.task == filter.task) &&
         (!filter.status || review.status == *filter.status);
}

bool fits(const Review& review, const InboxFilter& filter) {
  const auto is_named = [&](const std::string& name) {
    return std::ranges::find(filter.assigned_to, name) != filter.assigned_to.end();
  };
  const bool is_theirs = filter.assigned_to.empty() ||
                         (review.assigned.empty() ? filter.open_to_all
                                                  : std::ranges::any_of(review.assigned, is_named));
  const bool is_pending =
      review.status == ReviewStatus::open || review.status == ReviewStatus::answered;
  return is_pending && is_theirs && (!filter.job || review.job == filter.job) &&
         (filter.claimed_by.empty() ||
          (review.status == ReviewStatus::open && review.claimed_by == filter.claimed_by)) &&
         (filter.overdue_at == no_time ||
          (review.due_at != no_time && review.due_at <= filter.overdue_at));
}

bool fits(const AuditEntry& entry, const AuditFilter& filter) {
  return (!filter.job || entry.job == filter.job) &&
         (filter.actor.empty() || entry.actor.name == filter.actor) &&
         (filter.act.empty() || entry.act == filter.act);
}

}  // namespace pawl::store
