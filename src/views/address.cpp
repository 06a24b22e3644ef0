#include "views/address.hpp"

#include <utility>

#include "pawl/store/each_row.hpp"
#include "views/escaped_text.hpp"

namespace pawl::views {
namespace {

constexpr std::uint32_t page_size = 500;

/// "convert" for "convert[page 3]": a child belongs to its stage.
std::string_view without_child(std::string_view text) {
  return text.ends_with(']') ? text.substr(0, text.find('[')) : text;
}

/// Whether the end of the key, after one of its slashes, would be read as a stage.
bool ends_in_stage(const Workflow& workflow, std::string_view key) {
  for (std::size_t at = key.find('/'); at != std::string_view::npos; at = key.find('/', at + 1)) {
    const std::string_view end = key.substr(at + 1);
    if (workflow.find(end) || workflow.find(without_child(end))) return true;
  }
  return false;
}

bool is_job_wide(const Workflow& workflow, std::string_view name) {
  const std::optional<StageIndex> stage = workflow.find(name);
  return stage && workflow.stage(*stage).scope == Scope::all;
}

}  // namespace

std::string address_of(JobId job, const Workflow& workflow, std::string_view key) {
  const std::string out = std::to_string(job.value()) + "/";
  const bool is_like_job_wide =
      is_job_wide(workflow, key) || is_job_wide(workflow, without_child(key));
  if (is_like_job_wide) return out + id_part_with_escape(key);
  return out + id_part(key, ends_in_stage(workflow, key) ? "/" : "");
}

std::string address_of(JobId job, std::string_view key, std::string_view stage,
                       std::string_view child) {
  std::string out = std::to_string(job.value());
  if (!key.empty()) out += "/" + id_part(key);
  out += "/" + id_part(stage, "/[]");
  if (!child.empty()) out += "[" + id_part(child, "[]") + "]";
  return out;
}

std::string address_of(const Address& address) {
  const std::string key = address.item ? address.item->key : std::string();
  if (!address.stage) return address_of(address.job.id, address.workflow, key);
  const std::string id = address_of(
      address.job.id, key, address.workflow.stage(*address.stage).name, address.child.value_or(""));
  return address.child && address.child->empty() ? id + "[]" : id;
}

namespace {

/// The tasks of the stages at the address.
Result<std::vector<Task>> stage_tasks(Records& records, const Address& address) {
  if (!address.item) {
    Result<Task> task = records.task(task_id(address.job.reduce_ordinal, *address.stage));
    if (task) return std::vector<Task>{std::move(*task)};
    if (task.error().code == ErrorCode::not_found) return std::vector<Task>{};
    return std::unexpected(std::move(task.error()));
  }
  Item item = *address.item;
  while (item.adopted_from) {
    Result<Item> original = records.item(item.adopted_from);
    if (!original) return std::unexpected(std::move(original.error()));
    item = std::move(*original);
  }
  Result<std::vector<Task>> tasks = records.tasks_of(item.id);
  if (tasks && address.stage) {
    std::erase_if(*tasks, [&](const Task& task) { return task.stage() != *address.stage; });
  }
  return tasks;
}

}  // namespace

Result<std::vector<Task>> tasks_at(Records& records, const Address& address) {
  Result<std::vector<Task>> stages = stage_tasks(records, address);
  if (!stages || !address.is_child()) return stages;
  std::vector<Task> named;
  for (const Task& parent : *stages) {
    if (parent.expansion == 0) continue;
    const TaskFilter children{.parent = parent.id, .limit = page_size};
    const Status read = each_row(records, children, [&](const Task& child) {
      if (child.child && child.child->key == *address.child) named.push_back(child);
    });
    if (!read) return std::unexpected(read.error());
  }
  return named;
}

Result<std::optional<Task>> current_child(Records& records, const Address& address) {
  const Result<std::vector<Task>> parents = stage_tasks(records, address);
  if (!parents) return std::unexpected(parents.error());
  Result<std::vector<Task>> children = tasks_at(records, address);
  if (!children) return std::unexpected(std::move(children.error()));
  for (Task& child : *children) {
    const bool is_current =
        child.child && !parents->empty() && child.child->expansion == parents->front().expansion;
    if (is_current) return std::move(child);
  }
  return std::optional<Task>();
}

}  // namespace pawl::views
