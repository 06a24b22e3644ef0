#include "views/events.hpp"

#include <utility>

#include "pawl/views/documents.hpp"
#include "views/address.hpp"
#include "views/escaped_text.hpp"

namespace pawl::views {
namespace {

/// Whether a record was read, or is known not to exist. Anything else must not be remembered.
template <class Record>
bool is_known(const Result<Record>& record) {
  return record || record.error().code == ErrorCode::not_found;
}

}  // namespace

Result<Json> EventNames::document_of(const Event& event) {
  const Result<std::string> key = item_key(event.item);
  if (!key) return std::unexpected(key.error());
  const Result<std::string> stage = stage_name(event);
  if (!stage) return std::unexpected(stage.error());
  const Result<std::string> child = child_name(event);
  if (!child) return std::unexpected(child.error());
  return event_document(event, *key, *stage, *child);
}

Result<std::string> EventNames::place_of(const Event& event) {
  const Result<std::string> item = item_key(event.item);
  if (!item) return item;
  const Result<std::string> stage = stage_name(event);
  if (!stage) return stage;
  if (!stage->empty()) {
    const Result<std::string> child = child_name(event);
    if (!child) return child;
    return address_of(event.job, *item, *stage, *child);
  }
  const Result<std::shared_ptr<const Workflow>> workflow = workflow_of(event.job);
  if (!workflow) return std::unexpected(workflow.error());
  if (!item->empty() && *workflow) return address_of(event.job, **workflow, *item);
  return std::to_string(event.job.value()) + (item->empty() ? "" : "/" + id_part(*item));
}

Result<std::string> EventNames::item_key(ItemId id) {
  if (!id) return std::string();
  if (const std::string* const known = keys_.find(id)) return *known;
  const Result<Item> item = records_.item(id);
  if (!is_known(item)) return std::unexpected(item.error());
  return keys_.add(id, item ? item->key : std::string());
}

Result<std::string> EventNames::stage_name(const Event& event) {
  if (!event.task) return std::string();
  const Result<std::shared_ptr<const Workflow>> found = workflow_of(event.job);
  if (!found) return std::unexpected(found.error());
  const Workflow* const workflow = found->get();
  const StageIndex stage = stage_of(event.task);
  const bool has_stage = workflow != nullptr && at(stage) < workflow->stage_count();
  return has_stage ? workflow->stage(stage).name : std::string();
}

Result<std::string> EventNames::child_name(const Event& event) {
  const bool is_child = event.task && event.item && ordinal_of(event.task) != event.item.value();
  if (!is_child) return std::string();
  if (const std::string* const known = children_.find(event.task)) return *known;
  const Result<Task> task = records_.task(event.task);
  if (!is_known(task)) return std::unexpected(task.error());
  return children_.add(event.task, task && task->child ? task->child->key : std::string());
}

Result<std::shared_ptr<const Workflow>> EventNames::workflow_of(JobId id) {
  const std::string* hash = hashes_.find(id);
  if (hash == nullptr) {
    const Result<Job> job = records_.job(id);
    if (!is_known(job)) return std::unexpected(job.error());
    hash = &hashes_.add(id, job ? job->workflow_hash : std::string());
  }
  if (hash->empty()) return nullptr;
  if (const auto* const known = workflows_.find(*hash)) return *known;
  const Result<Workflow> pinned = records_.workflow(*hash);
  if (!is_known(pinned)) return std::unexpected(pinned.error());
  return workflows_.add(*hash, pinned ? std::make_shared<const Workflow>(*pinned) : nullptr);
}

}  // namespace pawl::views
