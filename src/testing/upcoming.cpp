/// Finds the next thing that will happen by itself.

#include <algorithm>

#include "pawl/store/each_row.hpp"
#include "testing/backstage.hpp"

namespace pawl::testing {

namespace {

/// Keeps the earliest of the times it is given.
class Earliest {
 public:
  void consider(Timestamp when, const std::string& what) {
    if (when == no_time || (when_ != no_time && when_ <= when)) return;
    when_ = when;
    what_ = what;
  }
  [[nodiscard]] std::optional<Upcoming> answer(Timestamp now) const {
    if (when_ == no_time) return std::nullopt;
    return Upcoming{.in = std::max(when_ - now, Duration{0}), .what = what_};
  }

 private:
  Timestamp when_ = no_time;
  std::string what_;
};

std::string place_of(Records& records, const Workflow& workflow, const Task& task) {
  std::string key = task.item ? must(records.item(task.item)).key + "/" : "";
  if (task.child) key += task.child->key + "/";
  return key + workflow.stage(task.stage()).name;
}

void consider_job(Records& records, const Job& job, Earliest& earliest) {
  const Workflow workflow = must(records.workflow(job.workflow_hash));
  earliest.consider(job.deadline_at, "the deadline of job " + std::to_string(job.id.value()));
  for (const StateKind state : {StateKind::retry_scheduled, StateKind::running}) {
    const TaskFilter tasks{.job = job.id, .state = state, .limit = 500};
    must(each_row(records, tasks, [&](const Task& task) {
      const std::string place = place_of(records, workflow, task);
      if (const auto* scheduled = std::get_if<RetryScheduled>(&task.state)) {
        earliest.consider(scheduled->next_run_at,
                          "attempt " + std::to_string(task.attempts + 1) + " of " + place);
      }
      const Duration timeout = workflow.stage(task.stage()).retry.attempt_timeout;
      const auto* running = std::get_if<Running>(&task.state);
      if (running != nullptr && timeout > Duration::zero()) {
        earliest.consider(running->opened_at + timeout, "the timeout of " + place);
      }
    }));
  }
  for (const Review& review :
       must(records.reviews({.job = job.id, .status = ReviewStatus::answered}))) {
    earliest.consider(review.answer->effective_at, "an answer takes effect");
  }
}

}  // namespace

std::optional<Upcoming> World::Backstage::next() {
  Earliest earliest;
  if (!agenda_.empty()) earliest.consider(agenda_.begin()->first, agenda_.begin()->second.what);
  JobFilter filter{.ended = false, .limit = 100};
  for (;;) {
    const auto page = must(store->records().jobs(filter));
    for (const Job& job : page) consider_job(store->records(), job, earliest);
    if (page.size() < filter.limit) break;
    filter.before = page.back().id;
  }
  return earliest.answer(clock.now());
}

}  // namespace pawl::testing
