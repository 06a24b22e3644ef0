#include "cli/dead_letters_at.hpp"

#include "cli/render.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t page_size = 500;

Status add_children(Records& records, const Task& parent, std::vector<TaskId>& letters) {
  const TaskFilter failed{.state = StateKind::failed, .parent = parent.id, .limit = page_size};
  return each_row(records, failed, [&](const Task& child) {
    const bool is_current = child.child && child.child->expansion == parent.expansion;
    if (child.kind() == StateKind::failed && is_current) letters.push_back(child.id);
  });
}

}  // namespace

Result<std::vector<TaskId>> dead_letters_at(Records& records, const AddressText& text) {
  const Result<Address> address = resolve(records, text);
  if (!address) return std::unexpected(address.error());
  const Result<std::vector<Task>> tasks = tasks_at(records, *address);
  if (!tasks) return std::unexpected(tasks.error());
  std::vector<TaskId> letters;
  for (const Task& task : *tasks) {
    if (task.kind() == StateKind::failed) letters.push_back(task.id);
    if (task.expansion == 0) continue;
    if (const Status added = add_children(records, task, letters); !added) {
      return std::unexpected(added.error());
    }
  }
  if (letters.empty()) {
    return pawl::fail(ErrorCode::not_found,
                      "'" + printable(text.text) + "' is no dead letter: nothing of it has failed",
                      "dead letters are listed by: pawl dlq list");
  }
  return letters;
}

Result<std::optional<Filter>> letter_filter(const std::optional<std::string>& filter,
                                            const std::string& stage) {
  if (!filter && stage.empty()) return std::optional<Filter>();
  // A filter that does not parse is told with its own columns, so it is read alone first.
  if (filter) {
    Result<Filter> alone = parse_dead_letter_filter(*filter);
    if (!alone) return std::unexpected(std::move(alone.error()));
    if (stage.empty()) return std::optional<Filter>(std::move(*alone));
  }
  std::string both = "stage = " + quoted_for_filter(stage);
  if (filter) both += " and (" + *filter + ")";
  Result<Filter> parsed = parse_dead_letter_filter(both);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return std::optional<Filter>(std::move(*parsed));
}

std::string quoted_for_shell(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace pawl::cli
