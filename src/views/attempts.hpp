#pragma once

/// The attempts of an item or of a stage.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "views/address.hpp"

namespace pawl::views {

/// The closed attempts of one task.
struct TaskAttempts {
  Task task;
  std::string stage;
  std::string handler;  ///< of the stage
  std::vector<Attempt> attempts;

  /// "convert", or "convert[page-3]" for a fan-out child.
  [[nodiscard]] std::string name() const;
  /// Whether the task has an open attempt, and none of the ended ones is it.
  [[nodiscard]] bool has_running_attempt() const;
};

/// Calls `see` with the attempts of each task at the address, in stage order, until it returns
/// false. The fan-out children of a task follow it, unless the address names a child or leaves them
/// out. `from` is the task to begin with; none: the first. `invalid` if it is not at the address.
[[nodiscard]] Status each_attempts_at(Records& records, const Address& address, TaskId from,
                                      const std::function<Result<bool>(TaskAttempts)>& see);
/// All of them.
[[nodiscard]] Result<std::vector<TaskAttempts>> attempts_at(Records& records,
                                                            const Address& address);

/// What the attempt ran: what it recorded, else the handler of its stage; null if nothing ran. The
/// stages of workflow files record every command.
[[nodiscard]] Json action_of(const Attempt& attempt, std::string_view handler);
/// The action on one line: "pandoc a.md -o a.html", "handler convert"; empty if there is none.
[[nodiscard]] std::string action_in_words(const Attempt& attempt, std::string_view handler);

/// The JSON document of an attempt with its whole output, the paths of its files and its action.
[[nodiscard]] Result<Json> whole_attempt_document(Records& records, const Attempt& attempt,
                                                  const StageDefinition& stage);
/// The same with the member "child", if the task is a fan-out child.
[[nodiscard]] Result<Json> whole_attempt_document(Records& records, const TaskAttempts& task,
                                                  const Attempt& attempt);

/// The same as the output is recorded: a large one is {"$ref","size"}, and files have no paths.
/// Reads nothing.
[[nodiscard]] Json recorded_attempt_document(const TaskAttempts& task, const Attempt& attempt);

/// The outcome of an attempt in a few words: "rejected by gate structure (tables:
/// expected = 4, actual 3)", "failed: retryable exit 75 \"ocr busy\"".
[[nodiscard]] std::string outcome_in_words(const StageDefinition& stage, const Attempt& attempt);

[[nodiscard]] Duration time_taken(const Attempt& attempt);

}  // namespace pawl::views
