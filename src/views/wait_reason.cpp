#include "views/wait_reason.hpp"

#include <map>
#include <vector>

#include "pawl/core/shown.hpp"
#include "text/durations.hpp"
#include "text/numbers.hpp"

namespace pawl::views {

using text::in_words;
using text::with_separators;

namespace {

/// The shown state of each stage of the item, including derived states.
std::map<StageIndex, StateKind> shown_states(const Address& address,
                                             const std::vector<Task>& tasks) {
  std::map<StageIndex, StateKind> shown;
  if (address.item) {
    for (const ShownTask& task :
         shown_tasks(address.workflow, *address.item, tasks, address.job.cancelled)) {
      shown[task.stage] = task.kind();
    }
    return shown;
  }
  for (const Task& task : tasks) shown[task.stage()] = task.kind();
  if (tasks.empty()) {
    shown[*address.stage] = address.job.cancelled ? StateKind::cancelled : StateKind::waiting;
  }
  return shown;
}

std::string unfinished_needs(const Address& address, StageIndex stage,
                             const std::map<StageIndex, StateKind>& shown) {
  if (address.workflow.stage(stage).scope == Scope::all) return "every item of the job";
  std::string needs;
  for (const StageIndex need : address.workflow.plan(stage).needs) {
    const auto state = shown.find(need);
    if (state != shown.end() && has_ended(state->second)) continue;
    needs += (needs.empty() ? "stage " : ", stage ") + address.workflow.stage(need).name;
  }
  return needs;
}

Result<std::string> open_review(Records& records, const Task& task) {
  const Result<std::vector<Review>> open =
      records.reviews({.task = task.id, .status = ReviewStatus::open, .limit = 1});
  if (!open) return std::unexpected(open.error());
  if (!open->empty()) {
    return "a person: review " + std::to_string(open->front().id.value());
  }
  return "a person's answer to take effect";
}

std::string when(Timestamp due, Timestamp now) {
  return due <= now ? "now" : "in " + in_words(due - now);
}

Result<std::string> waits_of(Records& records, const Address& address, const Task& task,
                             Timestamp now, const TimeText& time_text) {
  const std::string job = "job " + std::to_string(address.job.id.value());
  const bool is_paused = state_of(address.job) == JobState::paused;
  switch (task.kind()) {
    case StateKind::awaiting_review:
      return open_review(records, task);
    case StateKind::retry_scheduled: {
      const Timestamp due = std::get<RetryScheduled>(task.state).next_run_at;
      return "the next attempt, due " + when(due, now) +
             (is_paused ? ", and " + job + " to be resumed" : "");
    }
    case StateKind::running:
      return "attempt " + std::to_string(task.attempts) + ", running since " +
             time_text(std::get<Running>(task.state).opened_at);
    case StateKind::ready:
      return is_paused ? job + " to be resumed: it is paused" : "a worker: it is queued";
    case StateKind::expanded: {
      const auto& counts = std::get<Expanded>(task.state);
      return with_separators(counts.open) + " of its " + with_separators(counts.children) +
             " children";
    }
    case StateKind::waiting:
    case StateKind::succeeded:
    case StateKind::skipped:
    case StateKind::failed:
    case StateKind::cancelled:
      return std::string();
  }
  return std::string();
}

}  // namespace

Result<std::string> wait_reason(Records& records, const Address& address, Timestamp now,
                                const TimeText& time_text) {
  const bool has_settled = address.item && address.item->state != ItemState::active;
  if (has_settled && !address.stage) return std::string();
  if (address.job.trust == Trust::untrusted) {
    const std::string number = std::to_string(address.job.id.value());
    return "job " + number +
           " to be accepted: it was imported and is not trusted (pawl job trust " + number + ")";
  }
  Address whole = address;
  if (address.item) whole.stage.reset();
  const Result<std::vector<Task>> tasks = tasks_at(records, whole);
  if (!tasks) return std::unexpected(tasks.error());
  const std::map<StageIndex, StateKind> shown = shown_states(address, *tasks);

  std::string all;
  const auto add = [&](const std::string& one) {
    if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
  };
  for (const Task& task : *tasks) {
    if (address.stage && task.stage() != *address.stage) continue;
    const auto state = shown.find(task.stage());
    if (state == shown.end() || has_ended(state->second)) continue;
    const Result<std::string> one = waits_of(records, address, task, now, time_text);
    if (!one) return std::unexpected(one.error());
    add(*one);
  }
  if (!all.empty()) return all;
  for (const auto& [stage, state] : shown) {
    if (state != StateKind::waiting || (address.stage && stage != *address.stage)) continue;
    add(unfinished_needs(address, stage, shown));
    if (!all.empty()) return all;
  }
  return all;
}

}  // namespace pawl::views
