#include <algorithm>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/attempts_view.hpp"
#include "cli/output/file_outputs.hpp"
#include "cli/output/line_diff.hpp"
#include "cli/session.hpp"
#include "pawl/store/results.hpp"

namespace pawl::cli {
namespace {

struct ItemDiffOptions {
  AddressText item;
  std::vector<std::uint32_t> attempts;  ///< none: the two newest
};

/// The task whose attempts are compared: the only one with two outputs.
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
    return pawl::fail(ErrorCode::refused,
                      "nothing to compare: fewer than two attempts have an output");
  }
  std::string names;
  for (const TaskAttempts& one : all) names += (names.empty() ? "" : ", ") + printable(one.stage);
  return pawl::fail(ErrorCode::invalid, "several stages have attempts to compare",
                    "pass --stage with one of: " + names);
}

Result<const Attempt*> attempt_of(const TaskAttempts& task, std::uint32_t number) {
  const auto found = std::ranges::find(task.attempts, number, &Attempt::number);
  if (found != task.attempts.end()) return &*found;
  std::string numbers;
  for (const Attempt& attempt : task.attempts) {
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(attempt.number);
  }
  return pawl::fail(ErrorCode::not_found,
                    "attempt " + std::to_string(number) + " of stage '" + printable(task.name()) +
                        "' has no output",
                    "attempts with an output: " + numbers);
}

int item_diff(Session& session, const ItemDiffOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  if (options.attempts.size() == 1) {
    return session.fail_usage("expected two attempt numbers, got one",
                              "pass two numbers, or none to compare the two newest");
  }
  const Result<Address> address = resolve(records, options.item);
  if (!address) return session.fail(address.error());
  Result<std::vector<TaskAttempts>> all = attempts_at(records, *address);
  if (!all) return session.fail(all.error());
  const Result<TaskAttempts> task = compared_task(std::move(*all), *address);
  if (!task) return session.fail(task.error());

  const bool is_named = options.attempts.size() == 2;
  const std::size_t count = task->attempts.size();
  const Result<const Attempt*> before =
      is_named ? attempt_of(*task, options.attempts[0]) : &task->attempts[count - 2];
  if (!before) return session.fail(before.error());
  const Result<const Attempt*> after =
      is_named ? attempt_of(*task, options.attempts[1]) : &task->attempts[count - 1];
  if (!after) return session.fail(after.error());
  const Result<Json> old_output = whole_output(records, (*before)->output);
  if (!old_output) return session.fail(old_output.error());
  const Result<Json> new_output = whole_output(records, (*after)->output);
  if (!new_output) return session.fail(new_output.error());

  const auto diff = [&](const Style& style) {
    return line_diff(readable_lines(records, *old_output), readable_lines(records, *new_output),
                     style);
  };
  const auto document = [&] {
    const std::string lines = diff(Style{});
    return Json::object({{"stage", task->stage},
                         {"child", task->task.child ? Json(task->task.child->key) : Json()},
                         {"from", (*before)->number},
                         {"to", (*after)->number},
                         {"same", lines.empty()},
                         {"diff", lines}});
  };
  const auto text = [&] {
    const std::string stage = printable(task->name());
    const std::string lines = diff(session.style());
    return "--- " + stage + " attempt " + std::to_string((*before)->number) + "\n+++ " + stage +
           " attempt " + std::to_string((*after)->number) + "\n" +
           (lines.empty() ? "the outputs are the same\n" : lines);
  };
  return session.present({.document = document, .text = text});
}

}  // namespace

CommandEntry item_diff_command() {
  return command("item diff", "pawl item diff doc-0419/convert 1 3",
                 "Compare the outputs of two attempts.", &item_diff, [](ItemDiffOptions& it) {
                   Words words = words_of_address(it.item);
                   words.push_back(optional_argument(
                       &it.attempts, "A B", "Two attempt numbers; default: the two newest"));
                   return words;
                 });
}

}  // namespace pawl::cli
