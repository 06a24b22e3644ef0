#include "store/fitting.hpp"

#include "pawl/core/shown.hpp"

namespace pawl::store {

bool fits(const Job& job, const JobFilter& filter) {
  return (!filter.ended || *filter.ended == job.has_ended()) &&
         (filter.workflow_name.empty() || filter.workflow_name == job.workflow_name);
}

bool fits(const Item& item, std::optional<CancelCause> job_cancelled, const ItemFilter& filter) {
  return (!filter.job || item.job == filter.job) &&
         (!filter.state || *filter.state == shown_state(item, job_cancelled)) &&
         (filter.category.empty() || filter.category == item.category);
}

bool fits(const Task& task, const TaskFilter& filter) {
  if (filter.job && task.job != filter.job) return false;
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

}  // namespace pawl::store
