#include "views/attempts.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/store/results.hpp"
#include "pawl/views/documents.hpp"
#include "pawl/workflow/action.hpp"
#include "text/durations.hpp"
#include "views/outputs.hpp"

namespace pawl::views {
namespace {

constexpr std::uint32_t page_size = 500;

/// Reads the attempts of one task after the other, and passes them on.
class AttemptWalk {
 public:
  AttemptWalk(Records& records, const Address& address,
              const std::function<Result<bool>(TaskAttempts)>& see)
      : records_(records), address_(address), see_(see) {}

  /// Whether to go on after this task.
  Result<bool> visit(const Task& task) {
    const StageDefinition& stage = address_.workflow.stage(task.stage());
    Result<std::vector<Attempt>> attempts = records_.attempts(task.id);
    if (!attempts) return std::unexpected(attempts.error());
    return see_({task, stage.name, stage.handler, std::move(*attempts)});
  }

  /// The same after the children of the task that follow this one; none: all of them.
  Result<bool> visit_children(const Task& parent, TaskId after) {
    if (address_.child || parent.expansion == 0) return true;
    bool goes_on = true;
    const TaskFilter children{.parent = parent.id, .after = after, .limit = page_size};
    const Status read = each_row(records_, children, [&](const Task& child) -> Result<bool> {
      Result<bool> visited = visit(child);
      if (visited) goes_on = *visited;
      return visited;
    });
    if (!read) return std::unexpected(read.error());
    return goes_on;
  }

 private:
  Records& records_;
  const Address& address_;
  const std::function<Result<bool>(TaskAttempts)>& see_;
};

std::string in_words(const StageError& error) {
  std::string text =
      std::string(name_of(error.error_class)) + " " + std::string(name_of(error.kind));
  if (!error.code.empty()) text += " " + error.code;
  if (!error.message.empty()) text += " \"" + error.message + "\"";
  return text;
}

std::string in_words(const std::optional<Feedback>& feedback) {
  if (!feedback) return {};
  for (const Criterion& criterion : feedback->criteria) {
    if (criterion.passed) continue;
    return " (" + criterion.name + ": expected " + criterion.expected + ", actual " +
           criterion.actual + ")";
  }
  return feedback->summary.empty() ? std::string() : " (" + feedback->summary + ")";
}

}  // namespace

Duration time_taken(const Attempt& attempt) {
  const Timestamp begin = attempt.started_at == no_time ? attempt.opened_at : attempt.started_at;
  return begin == no_time ? Duration{0} : std::max(Duration{0}, attempt.ended_at - begin);
}

std::string TaskAttempts::name() const {
  return task.child ? stage + "[" + task.child->key + "]" : stage;
}

bool TaskAttempts::has_running_attempt() const {
  return task.kind() == StateKind::running &&
         std::ranges::find(attempts, task.attempts, &Attempt::number) == attempts.end();
}

Status each_attempts_at(Records& records, const Address& address, TaskId from,
                        const std::function<Result<bool>(TaskAttempts)>& see) {
  const Result<std::vector<Task>> tasks = tasks_at(records, address);
  if (!tasks) return std::unexpected(tasks.error());
  AttemptWalk walk(records, address, see);
  auto task = from ? std::ranges::find(*tasks, from, &Task::id) : tasks->begin();
  if (task == tasks->end() && from) {
    // It may be a child of one of them: go on with its siblings.
    const Result<Task> child = records.task(from);
    const TaskId parent = child && child->child ? child->child->parent : TaskId{};
    task = std::ranges::find(*tasks, parent, &Task::id);
    if (task == tasks->end() || address.child) {
      return fail(ErrorCode::invalid, "task " + std::to_string(from.value()) + " is not at '" +
                                          address_of(address) + "'");
    }
    Result<bool> goes_on = walk.visit(*child);
    if (goes_on && *goes_on) goes_on = walk.visit_children(*task, from);
    if (!goes_on) return std::unexpected(goes_on.error());
    if (!*goes_on) return {};
    ++task;
  }
  for (; task != tasks->end(); ++task) {
    Result<bool> goes_on = walk.visit(*task);
    if (goes_on && *goes_on) goes_on = walk.visit_children(*task, {});
    if (!goes_on) return std::unexpected(goes_on.error());
    if (!*goes_on) return {};
  }
  return {};
}

Result<std::vector<TaskAttempts>> attempts_at(Records& records, const Address& address) {
  std::vector<TaskAttempts> all;
  const Status read = each_attempts_at(records, address, {}, [&](TaskAttempts one) -> Result<bool> {
    all.push_back(std::move(one));
    return true;
  });
  if (!read) return std::unexpected(read.error());
  return all;
}

namespace {

/// The record holds one verdict for all gates. The gate is named only if the stage has just one.
std::string gate_in_words(const StageDefinition& stage, std::string_view several) {
  const auto is_users = [](const GateRef& gate) { return !gate.advisory && gate.name != "types"; };
  const auto first = std::ranges::find_if(stage.gates, is_users);
  const bool is_one = std::ranges::count_if(stage.gates, is_users) == 1;
  return is_one ? "gate " + first->name : std::string(several);
}

}  // namespace

std::string outcome_in_words(const StageDefinition& stage, const Attempt& attempt) {
  switch (attempt.result) {
    case AttemptResult::success:
      if (!attempt.verdict) return "succeeded";
      switch (*attempt.verdict) {
        case Verdict::accepted:
          return "accepted by " + gate_in_words(stage, "all gates");
        case Verdict::rejected:
          return "rejected by " + gate_in_words(stage, "its gates") + in_words(attempt.feedback);
        case Verdict::uncertain:
          return gate_in_words(stage, "the gates") + " could not decide" +
                 (attempt.verdict_reason.empty() ? "" : " (" + attempt.verdict_reason + ")");
      }
      return "succeeded";
    case AttemptResult::failure:
      return "failed" + (attempt.error ? ": " + in_words(*attempt.error) : std::string());
    case AttemptResult::timed_out:
      return "timed out after " + text::in_words(time_taken(attempt));
    case AttemptResult::blocked:
      return "blocked" + (attempt.error ? ": " + attempt.error->message : std::string());
    case AttemptResult::skipped:
      return "skipped" + (attempt.summary.empty() ? "" : ": " + attempt.summary);
    case AttemptResult::needs_review:
      return "asked for a review" + (attempt.summary.empty() ? "" : ": " + attempt.summary);
    case AttemptResult::expanded:
      return "expanded into children";
    case AttemptResult::cancelled:
      return "was cancelled";
    case AttemptResult::interrupted:
      return attempt.ran ? "was interrupted" : "was interrupted before it ran";
  }
  return {};
}

Json action_of(const Attempt& attempt, std::string_view handler) {
  // A command records what it ran. Without that none ran: the list was made, or children joined.
  if (handler == command_handler) return attempt.action;
  if (!attempt.action.is_null() || handler.empty() || !attempt.ran) return attempt.action;
  return Json::object({{"handler", std::string(handler)}});
}

std::string action_in_words(const Attempt& attempt, std::string_view handler) {
  const Json action = action_of(attempt, handler);
  std::string text;
  if (field(action, "run").exists()) {
    for (const Json& word : elements(field(action, "run"))) {
      text += (text.empty() ? "" : " ") + JsonView(word).string().value_or(word.text());
    }
    return field(action, "words").exists() ? text + " …" : text;
  }
  for (const auto& [key, value] : members(action)) {
    if (key == "sha256") continue;
    text +=
        (text.empty() ? "" : ", ") + key + " " + JsonView(value).string().value_or(value.text());
  }
  return text;
}

namespace {

Result<Json> document_of(Records& records, const Attempt& attempt, std::string_view stage,
                         std::string_view handler) {
  Attempt whole = attempt;
  Result<Json> output = whole_output(records, attempt.output);
  if (!output) return std::unexpected(std::move(output.error()));
  whole.output = with_paths(records, *output);
  whole.action = action_of(attempt, handler);
  return attempt_document(whole, stage);
}

Json with_child(const Json& document, const Task& task) {
  return task.child ? with_member(document, "child", task.child->key) : document;
}

}  // namespace

Result<Json> whole_attempt_document(Records& records, const Attempt& attempt,
                                    const StageDefinition& stage) {
  return document_of(records, attempt, stage.name, stage.handler);
}

Result<Json> whole_attempt_document(Records& records, const TaskAttempts& task,
                                    const Attempt& attempt) {
  Result<Json> document = document_of(records, attempt, task.stage, task.handler);
  if (!document) return document;
  return with_child(*document, task.task);
}

Json recorded_attempt_document(const TaskAttempts& task, const Attempt& attempt) {
  Attempt shown = attempt;
  shown.action = action_of(attempt, task.handler);
  return with_child(attempt_document(shown, task.stage), task.task);
}

}  // namespace pawl::views
