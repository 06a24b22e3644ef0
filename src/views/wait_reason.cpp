#include "views/wait_reason.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pawl/codec/rfc3339.hpp"
#include "pawl/core/shown.hpp"
#include "pawl/store/each_row.hpp"
#include "text/durations.hpp"
#include "text/numbers.hpp"
#include "views/escaped_text.hpp"
#include "views/votes.hpp"
#include "views/workers.hpp"

namespace pawl::views {

using text::in_words;
using text::with_separators;

namespace {

constexpr std::uint32_t page_size = 500;

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

/// "a person", or the people and groups to whom the review is assigned.
std::string assignees_in_words(const Review& review) {
  if (review.assigned.empty()) return "a person";
  std::string text;
  for (const std::string& name : review.assigned) {
    const bool is_last = &name == &review.assigned.back();
    text += (text.empty() ? "" : is_last ? " or " : ", ") + name;
  }
  return text;
}

Result<Wait> open_review(Records& records, const Address& address, const Task& task,
                         const Onlooker& onlooker) {
  const Result<std::vector<Review>> open =
      records.reviews({.task = task.id, .status = ReviewStatus::open, .limit = 1});
  if (!open) return std::unexpected(open.error());
  if (open->empty()) return Wait{.kind = "review", .text = "a person's answer to take effect"};
  const Review& review = open->front();
  const Result<Votes> votes = load_votes(
      records, review, address.workflow.stage(task.stage()).review_rules, address.job.submitted_by);
  if (!votes) return std::unexpected(votes.error());
  Wait wait{.kind = "review",
            .text = assignees_in_words(review) + ": review " + std::to_string(review.id.value()),
            .details = {{"review", Json(review.id.value())}}};
  if (votes->needed > 1 || !votes->approvals.empty()) {
    wait.text +=
        " has " + approvals_in_words(*votes) + " and waits for " + missing_in_words(*votes);
    wait.details.emplace_back("approvals_missing", Json(votes->missing()));
  }
  if (is_overdue(review, onlooker.now)) {
    wait.text += "; it is overdue: it was due " + onlooker.time_text(review.due_at);
    wait.details.emplace_back("due_at", Json(rfc3339(review.due_at)));
  }
  return wait;
}

std::string when(Timestamp due, Timestamp now) {
  return due <= now ? "now" : "in " + in_words(due - now);
}

/// A running attempt, and whether its worker still lives.
Result<Wait> open_attempt(Records& records, const Task& task, const Onlooker& onlooker) {
  const auto& running = std::get<Running>(task.state);
  const std::string text = "attempt " + std::to_string(task.attempts) + ", running since " +
                           onlooker.time_text(running.opened_at);
  const Result<WorkerRecord> worker = records.worker(running.worker);
  if (!worker && worker.error().code != ErrorCode::not_found) {
    return std::unexpected(worker.error());
  }
  if (!worker) return Wait{.kind = "running", .text = text};
  const std::vector<std::pair<std::string, Json>> details{{"worker", Json(worker->id.value())}};
  const std::string_view state = state_of_worker(*worker, onlooker.now, onlooker.is_dead);
  if (state == "alive") return Wait{.kind = "running", .text = text, .details = details};
  return Wait{.kind = "lost_worker",
              .text = "another worker to take over attempt " + std::to_string(task.attempts) +
                      ": " + in_words(*worker) + " is " + std::string(state),
              .details = details};
}

Result<Wait> wait_of(Records& records, const Address& address, const Task& task,
                     const Onlooker& onlooker) {
  const bool is_paused = state_of(address.job) == JobState::paused;
  switch (task.kind()) {
    case StateKind::awaiting_review:
      return open_review(records, address, task, onlooker);
    case StateKind::retry_scheduled: {
      const Timestamp due = std::get<RetryScheduled>(task.state).next_run_at;
      const std::string job = "job " + std::to_string(address.job.id.value());
      std::string text = "the next attempt, due " + when(due, onlooker.now);
      if (is_paused) {
        text += ", and " + job + " to be resumed";
      } else if (address.job.is_paused(task.stage())) {
        text += ", and the stage to be resumed (" +
                way_out_of_stage_pause(address.job.id, address.workflow.stage(task.stage()).name) +
                ")";
      }
      return Wait{.kind = "retry", .text = std::move(text)};
    }
    case StateKind::running:
      return open_attempt(records, task, onlooker);
    case StateKind::ready:
      return wait_of_ready(records, address, task, onlooker);
    case StateKind::expanded: {
      const auto& counts = std::get<Expanded>(task.state);
      return Wait{.kind = "children",
                  .text = with_separators(counts.open) + " of its " +
                          with_separators(counts.children) + " children"};
    }
    case StateKind::waiting:
    case StateKind::succeeded:
    case StateKind::skipped:
    case StateKind::failed:
    case StateKind::cancelled:
      return Wait{};
  }
  return Wait{};
}

/// What one task waits for, with its stage and its child.
Result<Wait> named_wait_of(Records& records, const Address& address, const Task& task,
                           const Onlooker& onlooker) {
  Result<Wait> wait = wait_of(records, address, task, onlooker);
  if (!wait) return wait;
  wait->stage = address.workflow.stage(task.stage()).name;
  if (task.child) wait->child = task.child->key;
  return wait;
}

/// What the unfinished children of a fan-out wait for: one wait of each kind, that of the oldest
/// child, which counts the others.
class ChildWaits {
 public:
  ChildWaits(Records& records, const Address& address, const Onlooker& onlooker)
      : records_(records), address_(address), onlooker_(onlooker) {}

  Status add(const Task& child) {
    const StateKind state = child.kind();
    if (has_ended(state)) return {};
    // Children in one state wait for the same, except that their workers differ.
    const auto* const running = std::get_if<Running>(&child.state);
    const std::pair alike{state, running != nullptr ? running->worker : WorkerId{}};
    const auto known = kinds_.find(alike);
    if (known != kinds_.end()) {
      count(known->second);
      return {};
    }
    Result<Wait> wait = named_wait_of(records_, address_, child, onlooker_);
    if (!wait) return std::unexpected(wait.error());
    kinds_.emplace(alike, wait->kind);
    if (std::ranges::find(waits_, wait->kind, &Wait::kind) == waits_.end()) {
      waits_.push_back(std::move(*wait));
    } else {
      count(wait->kind);
    }
    return {};
  }

  std::vector<Wait> all() && { return std::move(waits_); }

 private:
  void count(std::string_view kind) {
    ++std::ranges::find(waits_, kind, &Wait::kind)->children_alike;
  }

  Records& records_;
  const Address& address_;
  const Onlooker& onlooker_;
  std::map<std::pair<StateKind, WorkerId>, std::string_view> kinds_;
  std::vector<Wait> waits_;
};

/// What the task waits for and, if it has children, what they wait for.
Status add_waits(Records& records, const Address& address, const Task& task,
                 const Onlooker& onlooker, std::vector<Wait>& waits) {
  Result<Wait> wait = named_wait_of(records, address, task, onlooker);
  if (!wait) return std::unexpected(wait.error());
  if (!wait->text.empty()) waits.push_back(std::move(*wait));
  if (task.kind() != StateKind::expanded || address.child) return {};
  ChildWaits children(records, address, onlooker);
  const TaskFilter filter{.parent = task.id, .limit = page_size};
  const Status read = each_row(records, filter, [&](const Task& child) -> Status {
    const bool is_current = child.child && child.child->expansion == task.expansion;
    return is_current ? children.add(child) : Status();
  });
  if (!read) return read;
  std::ranges::move(std::move(children).all(), std::back_inserter(waits));
  return {};
}

/// What the named child waits for.
Status add_waits_of_child(Records& records, const Address& address, const Onlooker& onlooker,
                          std::vector<Wait>& waits) {
  const Result<std::optional<Task>> child = current_child(records, address);
  if (!child) return std::unexpected(child.error());
  return *child ? add_waits(records, address, **child, onlooker, waits) : Status();
}

}  // namespace

Result<std::vector<Wait>> waits_at(Records& records, const Address& address,
                                   const Onlooker& onlooker) {
  std::vector<Wait> waits;
  const bool has_settled = address.item && address.item->state != ItemState::active;
  if (has_settled && !address.stage) return waits;
  if (address.job.trust == Trust::untrusted) {
    const std::string number = std::to_string(address.job.id.value());
    waits.push_back(
        {.kind = "trust",
         .text = "job " + number +
                 " to be accepted: it was imported and is not trusted (pawl job trust " + number +
                 ")"});
    return waits;
  }
  Address whole = address;
  whole.child.reset();
  if (address.item) whole.stage.reset();
  const Result<std::vector<Task>> tasks = tasks_at(records, whole);
  if (!tasks) return std::unexpected(tasks.error());
  const std::map<StageIndex, StateKind> shown = shown_states(address, *tasks);

  for (const Task& task : *tasks) {
    if (address.stage && task.stage() != *address.stage) continue;
    const auto state = shown.find(task.stage());
    if (state == shown.end() || has_ended(state->second)) continue;
    const Status added = address.is_child() ? add_waits_of_child(records, address, onlooker, waits)
                                            : add_waits(records, address, task, onlooker, waits);
    if (!added) return std::unexpected(added.error());
  }
  if (!waits.empty()) return waits;
  for (const auto& [stage, state] : shown) {
    if (state != StateKind::waiting || (address.stage && stage != *address.stage)) continue;
    const std::string needs = unfinished_needs(address, stage, shown);
    if (needs.empty()) continue;
    waits.push_back({.stage = address.workflow.stage(stage).name, .kind = "needs", .text = needs});
    return waits;
  }
  return waits;
}

std::string way_out_of_stage_pause(JobId job, std::string_view stage) {
  return "pawl job resume " + std::to_string(job.value()) + " --stage " + quoted_for_shell(stage);
}

std::string in_words(const std::vector<Wait>& waits) {
  std::string all;
  bool names_children = false;  // among others; alone, the reader has named it
  for (const Wait& wait : waits) names_children |= wait.kind == "children";
  const bool names_stages = std::ranges::any_of(
      waits, [&](const Wait& wait) { return wait.stage != waits.front().stage; });
  for (const Wait& wait : waits) {
    if (!all.empty()) all += "; ";
    if (names_stages && !wait.stage.empty()) all += wait.stage + ": ";
    if (names_children && !wait.child.empty()) {
      all += "child " + wait.child;
      if (wait.children_alike > 0) {
        all += " and " + with_separators(wait.children_alike) + " more";
      }
      all += ": ";
    }
    all += wait.text;
  }
  return all;
}

Json wait_document(const Wait& wait) {
  std::vector<std::pair<std::string, Json>> members{
      {"stage", wait.stage.empty() ? Json() : Json(wait.stage)},
      {"child", wait.child.empty() ? Json() : Json(wait.child)},
      {"kind", wait.kind},
      {"text", wait.text}};
  if (wait.children_alike > 0) members.emplace_back("children_alike", wait.children_alike);
  members.insert(members.end(), wait.details.begin(), wait.details.end());
  return Json::object(members);
}

}  // namespace pawl::views
