#include "views/events.hpp"

#include <utility>

#include "pawl/views/documents.hpp"
#include "views/address.hpp"
#include "views/escaped_text.hpp"

namespace pawl::views {
namespace {

constexpr std::size_t names_kept = 10'000;

}  // namespace

Json EventNames::document_of(const Event& event) {
  return event_document(event, item_key(event.item), stage_name(event), child_name(event));
}

std::string EventNames::place_of(const Event& event) {
  const std::string item = item_key(event.item);
  const std::string stage = stage_name(event);
  if (!stage.empty()) return address_of(event.job, item, stage, child_name(event));
  const std::optional<Workflow>& workflow = workflow_of(event.job);
  if (!item.empty() && workflow) return address_of(event.job, *workflow, item);
  return std::to_string(event.job.value()) + (item.empty() ? "" : "/" + id_part(item));
}

std::string EventNames::item_key(ItemId id) {
  if (!id) return {};
  if (const auto known = keys_.find(id); known != keys_.end()) return known->second;
  const Result<Item> item = records_.item(id);
  if (keys_.size() >= names_kept) keys_.clear();
  return keys_[id] = item ? item->key : std::string();
}

std::string EventNames::stage_name(const Event& event) {
  if (!event.task) return {};
  const std::optional<Workflow>& workflow = workflow_of(event.job);
  const StageIndex stage = stage_of(event.task);
  const bool is_known = workflow && at(stage) < workflow->stage_count();
  return is_known ? workflow->stage(stage).name : std::string();
}

std::string EventNames::child_name(const Event& event) {
  const bool is_child = event.task && event.item && ordinal_of(event.task) != event.item.value();
  if (!is_child) return {};
  if (const auto known = children_.find(event.task); known != children_.end()) return known->second;
  const Result<Task> task = records_.task(event.task);
  if (children_.size() >= names_kept) children_.clear();
  return children_[event.task] = task && task->child ? task->child->key : std::string();
}

const std::optional<Workflow>& EventNames::workflow_of(JobId id) {
  auto known = workflows_.find(id);
  if (known == workflows_.end()) {
    std::optional<Workflow> workflow;
    if (const Result<Job> job = records_.job(id)) {
      if (Result<Workflow> pinned = records_.workflow(job->workflow_hash)) workflow = *pinned;
    }
    if (workflows_.size() >= names_kept) workflows_.clear();
    known = workflows_.emplace(id, std::move(workflow)).first;
  }
  return known->second;
}

}  // namespace pawl::views
