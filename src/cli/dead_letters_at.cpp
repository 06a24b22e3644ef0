#include "cli/dead_letters_at.hpp"

#include "cli/output/render.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t page_size = 500;

/// The failed children of the newest expansion; with a name, only the child with that name.
Status add_children(Records& records, const Task& parent, const std::optional<std::string>& name,
                    std::vector<TaskId>& letters) {
  const TaskFilter failed{.state = StateKind::failed, .parent = parent.id, .limit = page_size};
  return each_row(records, failed, [&](const Task& child) {
    const bool is_current = child.child && child.child->expansion == parent.expansion;
    const bool is_meant = is_current && (!name || child.child->key == *name);
    if (child.kind() == StateKind::failed && is_meant) letters.push_back(child.id);
  });
}

/// The failed child that the text names, or with "[]" the stage itself without its children. Empty
/// if the text names neither.
Result<std::vector<TaskId>> child_at(Records& records, const AddressText& text) {
  std::vector<TaskId> letters;
  const std::optional<ChildText> named = read_child(text.text);
  if (!named) return letters;
  const Result<Address> address = resolve(records, {named->parent, text.job, text.stage});
  if (!address && address.error().code != ErrorCode::not_found) {
    return std::unexpected(address.error());
  }
  if (!address || !address->stage) return letters;
  const Result<std::vector<Task>> tasks = tasks_at(records, *address);
  if (!tasks) return std::unexpected(tasks.error());
  for (const Task& task : *tasks) {
    if (named->child.empty()) {
      if (task.kind() == StateKind::failed) letters.push_back(task.id);
      continue;
    }
    if (const Status added = add_children(records, task, named->child, letters); !added) {
      return std::unexpected(added.error());
    }
  }
  return letters;
}

}  // namespace

Result<std::vector<TaskId>> dead_letters_at(Records& records, const AddressText& text) {
  if (Result<std::vector<TaskId>> children = child_at(records, text);
      !children || !children->empty()) {
    return children;
  }
  const Result<Address> address = resolve(records, text);
  if (!address) return std::unexpected(address.error());
  const Result<std::vector<Task>> tasks = tasks_at(records, *address);
  if (!tasks) return std::unexpected(tasks.error());
  std::vector<TaskId> letters;
  for (const Task& task : *tasks) {
    if (task.kind() == StateKind::failed) letters.push_back(task.id);
    if (task.expansion == 0) continue;
    if (const Status added = add_children(records, task, std::nullopt, letters); !added) {
      return std::unexpected(added.error());
    }
  }
  if (letters.empty()) {
    return pawl::fail(ErrorCode::not_found,
                      "not a dead letter: '" + printable(text.text) + "' has not failed",
                      "list dead letters: pawl dlq list");
  }
  return letters;
}

std::string letter_id(Records& records, TaskId task, JobId job, const std::string& key,
                      const std::string& stage, const std::string& child) {
  std::string id = address_of(job, key, stage, child);
  if (!child.empty()) return id;
  const Result<Task> row = records.task(task);
  return row && row->expansion > 0 ? id + "[]" : id;
}

Result<std::optional<Filter>> letter_filter(const std::optional<std::string>& filter,
                                            const std::string& stage) {
  if (!filter && stage.empty()) return std::optional<Filter>();
  // Parse the filter alone first, so that errors name the columns of the user's text.
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

}  // namespace pawl::cli
