#include "actions/running_now.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "actions/log_text.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl::actions {
namespace {

/// Hides the secrets of the stage.
Mask mask_of(const StageDefinition& stage) {
  std::vector<std::string> secrets;
  if (const Result<ActionSpec> action = action_from(stage.params)) {
    for (const std::string& name : action->secrets) {
      if (const char* const value = std::getenv(name.c_str())) secrets.emplace_back(value);
    }
  }
  return Mask(std::move(secrets));
}

}  // namespace

std::vector<views::RunningAttempt> running_now(const LiveAttempts& live, Records& records,
                                               const Job& job, const Workflow& workflow,
                                               ItemId only) {
  std::vector<views::RunningAttempt> running;
  if (job.attempts_open == 0) return running;
  for (const ReportingAttempt& one : live.reports()) {
    const Result<Task> task = records.task(one.task);
    const bool is_current = task && task->job == job.id && task->kind() == StateKind::running &&
                            task->attempts == one.attempt && (!only || task->item == only);
    if (!is_current) continue;
    const StageDefinition& stage = workflow.stage(task->stage());
    views::RunningAttempt shown{.item_key = {},
                                .stage = stage.name,
                                .child = task->child ? task->child->key : std::string(),
                                .attempt = one.attempt,
                                .progress = one.report.progress,
                                .message = mask_of(stage).whole(one.report.message)};
    if (task->item) {
      const Result<Item> item = records.item(task->item);
      if (!item) continue;
      shown.item_key = item->key;
    }
    running.push_back(std::move(shown));
  }
  return running;
}

std::vector<views::Log> live_logs(const LiveAttempts& live, const views::TaskAttempts& one) {
  constexpr std::array<std::string_view, 2> streams{"stdout", "stderr"};
  std::vector<views::Log> logs;
  if (!one.has_running_attempt()) return logs;
  for (const std::string_view stream : streams) {
    std::string text = live.log(one.task.id, one.task.attempts, stream);
    if (text.empty()) continue;
    const auto size = static_cast<std::int64_t>(text.size());
    logs.push_back({.task = one.name(),
                    .attempt = one.task.attempts,
                    .stream = stream,
                    .text = std::move(text),
                    .size = size,
                    .is_running = true});
  }
  return logs;
}

}  // namespace pawl::actions
