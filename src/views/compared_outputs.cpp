#include "views/compared_outputs.hpp"

#include <algorithm>
#include <utility>

#include "pawl/store/results.hpp"
#include "views/escaped_text.hpp"

namespace pawl::views {
namespace {

/// The only task with two outputs, without its attempts that have none.
Result<TaskAttempts> compared_task(std::vector<TaskAttempts> all, const Address& address) {
  if (!address.is_child()) {
    std::erase_if(all, [](const TaskAttempts& one) { return one.task.child.has_value(); });
  }
  for (TaskAttempts& one : all) {
    std::erase_if(one.attempts, [](const Attempt& attempt) { return attempt.output.is_null(); });
  }
  std::erase_if(all, [](const TaskAttempts& one) { return one.attempts.size() < 2; });
  if (all.size() == 1) return std::move(all.front());
  if (all.empty()) {
    return fail(ErrorCode::refused, "nothing to compare: fewer than two attempts have an output");
  }
  std::string names;
  for (const TaskAttempts& one : all) names += (names.empty() ? "" : ", ") + printable(one.stage);
  return fail(ErrorCode::invalid, "several stages have attempts to compare",
              "name the stage, one of: " + names);
}

Result<const Attempt*> attempt_of(const TaskAttempts& task, AttemptNumber number) {
  const auto found = std::ranges::find(task.attempts, number, &Attempt::number);
  if (found != task.attempts.end()) return &*found;
  std::string numbers;
  for (const Attempt& attempt : task.attempts) {
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(attempt.number);
  }
  return fail(ErrorCode::not_found,
              "attempt " + std::to_string(number) + " of stage '" + printable(task.name()) +
                  "' has no output",
              "attempts with an output: " + numbers);
}

}  // namespace

Result<ComparedOutputs> compared_outputs(Records& records, const Address& address,
                                         std::optional<AttemptNumber> from,
                                         std::optional<AttemptNumber> to) {
  Result<std::vector<TaskAttempts>> all = attempts_at(records, address);
  if (!all) return std::unexpected(all.error());
  Result<TaskAttempts> task = compared_task(std::move(*all), address);
  if (!task) return std::unexpected(task.error());
  const std::size_t count = task->attempts.size();
  const Result<const Attempt*> before =
      from ? attempt_of(*task, *from) : &task->attempts[count - 2];
  if (!before) return std::unexpected(before.error());
  const Result<const Attempt*> after = to ? attempt_of(*task, *to) : &task->attempts[count - 1];
  if (!after) return std::unexpected(after.error());
  Result<Json> old_output = whole_output(records, (*before)->output);
  if (!old_output) return std::unexpected(old_output.error());
  Result<Json> new_output = whole_output(records, (*after)->output);
  if (!new_output) return std::unexpected(new_output.error());
  return ComparedOutputs{.task = *task,
                         .from = (*before)->number,
                         .to = (*after)->number,
                         .before = std::move(*old_output),
                         .after = std::move(*new_output)};
}

Json diff_document(const ComparedOutputs& outputs, const std::string& diff) {
  const std::optional<ChildPart>& child = outputs.task.task.child;
  return Json::object({{"stage", outputs.task.stage},
                       {"child", child ? Json(child->key) : Json()},
                       {"from", outputs.from},
                       {"to", outputs.to},
                       {"same", diff.empty()},
                       {"diff", diff}});
}

}  // namespace pawl::views
