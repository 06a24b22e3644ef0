#include "actions/item_acts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "views/escaped_text.hpp"

namespace pawl::actions {

using views::Address;
using views::address_of;
using views::printable;

namespace {

std::string key_of(const Address& address) {
  return address.item ? address.item->key : std::string();
}

/// The stages to rerun: the named one, else every failed one.
Result<std::vector<StageIndex>> stages_to_retry(Records& records, const Address& address,
                                                const RetryOrder& order) {
  if (!order.from.empty()) {
    const Result<StageIndex> stage = address.workflow.require_stage(order.from);
    if (!stage) return std::unexpected(stage.error());
    return std::vector{*stage};
  }
  if (address.stage) return std::vector{*address.stage};
  const Result<std::vector<Task>> tasks = records.tasks_of(address.item->id);
  if (!tasks) return std::unexpected(tasks.error());
  std::vector<StageIndex> failed;
  for (const StageIndex stage : address.workflow.topological_order()) {
    const auto task = std::ranges::find(*tasks, stage, &Task::stage);
    if (task != tasks->end() && task->kind() == StateKind::failed) failed.push_back(stage);
  }
  if (failed.empty()) {
    return fail(ErrorCode::refused,
                "no stage of item '" + printable(key_of(address)) + "' has failed",
                "pass " + std::string(order.stage_option) + " to choose the stage to rerun");
  }
  return failed;
}

/// The stored task of a stage of the address. `refused` with this help if it has none yet.
Result<Task> started_task(Records& records, const Address& address, StageIndex stage,
                          const std::string& help) {
  const TaskId id =
      address.item ? task_id(address.item->id, stage) : task_id(address.job.reduce_ordinal, stage);
  Result<Task> task = records.task(id);
  if (task || task.error().code != ErrorCode::not_found) return task;
  return fail(ErrorCode::refused,
              "stage '" + printable(address.workflow.stage(stage).name) + "' of '" +
                  printable(key_of(address)) + "' has not started yet",
              help);
}

Result<Retried> retry_stages(Records& records, const Address& address, const RetryOrder& order,
                             const Perform& perform) {
  if (address.item && address.item->adopted_from) {
    return fail(ErrorCode::refused,
                "item '" + printable(key_of(address)) + "' was adopted from an earlier job",
                "run it again in a new job: pawl run FILE --fresh");
  }
  const Result<std::vector<StageIndex>> stages = stages_to_retry(records, address, order);
  if (!stages) return std::unexpected(stages.error());
  const bool is_named = !order.from.empty() || address.stage;
  Retried retried;
  std::vector<Json> names;
  for (const StageIndex stage : *stages) {
    const std::string& name = address.workflow.stage(stage).name;
    const Result<Task> task =
        started_task(records, address, stage,
                     "pass " + std::string(order.stage_option) + " with an earlier stage");
    if (!task) return std::unexpected(task.error());
    // The rerun of an earlier stage may have included this one.
    if (!is_named && task->kind() != StateKind::failed) continue;
    const bool is_expected = is_named && order.expected != 0;
    const Result<Job> after =
        perform(Rerun{.task = task->id,
                      .cause = Cause::manual,
                      .note = order.note,
                      .by = order.by,
                      .expected = is_expected ? order.expected : task->version});
    if (!after) return std::unexpected(after.error());
    names.emplace_back(name);
    retried.stages.push_back(name);
  }
  // Without a key it is a single job-wide stage.
  retried.id = address.item
                   ? address_of(address.job.id, address.workflow, key_of(address))
                   : address_of(address.job.id, {}, address.workflow.stage(stages->front()).name);
  retried.document = Json::object({{"item", key_of(address)},
                                   {"job", address.job.id.value()},
                                   {"stages", Json::array(names)},
                                   {"id", retried.id}});
  return retried;
}

/// A failed child of a fan-out runs again; its siblings keep their results.
Result<Retried> retry_child(Records& records, const Address& address, const RetryOrder& order,
                            const Perform& perform) {
  const std::string id = address_of(address);
  const Result<std::optional<Task>> child = views::current_child(records, address);
  if (!child) return std::unexpected(child.error());
  const bool has_failed = *child && (*child)->kind() == StateKind::failed;
  if (!has_failed) {
    return fail(ErrorCode::refused, "fan-out child '" + id + "' has not failed",
                "only failed children run again by themselves; the stage with all its "
                "children: pawl item retry " +
                    views::quoted_for_shell(id.substr(0, id.rfind('['))));
  }
  const Result<Job> after =
      perform(Rerun{.task = (*child)->id,
                    .cause = Cause::manual,
                    .note = order.note,
                    .by = order.by,
                    .expected = order.expected != 0 ? order.expected : (*child)->version});
  if (!after) return std::unexpected(after.error());
  const std::string& stage = address.workflow.stage(*address.stage).name;
  return Retried{.id = id,
                 .stages = {},
                 .document = Json::object({{"item", key_of(address)},
                                           {"job", address.job.id.value()},
                                           {"stages", Json::array({Json(stage)})},
                                           {"child", *address.child},
                                           {"id", id}})};
}

/// The task of the stage or fan-out child that the address names.
Result<Task> named_task(Records& records, const Address& address) {
  if (!address.is_child()) {
    return started_task(records, address, *address.stage,
                        "wait until the stages before it have ended");
  }
  const Result<std::optional<Task>> child = views::current_child(records, address);
  if (!child) return std::unexpected(child.error());
  if (*child) return **child;
  return fail(ErrorCode::not_found, "no such child: '" + address_of(address) + "'");
}

}  // namespace

Result<Retried> retry(Records& records, const Address& address, const RetryOrder& order,
                      const Perform& perform) {
  return address.is_child() ? retry_child(records, address, order, perform)
                            : retry_stages(records, address, order, perform);
}

Result<DoneToItem> skip(Records& records, const Address& address, const SkipOrder& order,
                        const Perform& perform) {
  if (!address.stage) {
    std::string names;
    for (const StageDefinition& stage : address.workflow.definition().stages) {
      names += (names.empty() ? "" : ", ") + printable(stage.name);
    }
    return fail(ErrorCode::invalid, "no stage given", "name the stage to skip: " + names);
  }
  const Result<Task> task = named_task(records, address);
  if (!task) return std::unexpected(task.error());
  Result<Job> after =
      perform(SkipTask{.task = task->id,
                       .reason = order.reason,
                       .by = order.by,
                       .expected = order.expected != 0 ? order.expected : task->version});
  if (!after) return std::unexpected(after.error());
  std::string id = address_of(address);
  Json document = Json::object({{"item", address.item ? Json(address.item->key) : Json()},
                                {"job", address.job.id.value()},
                                {"stage", address.workflow.stage(*address.stage).name},
                                {"id", id}});
  return DoneToItem{.id = std::move(id), .job = std::move(*after), .document = std::move(document)};
}

Result<DoneToItem> cancel_item(const Address& address, const Perform& perform) {
  std::string id = address_of(address);
  if (!address.item || address.stage) {
    return fail(ErrorCode::invalid, "not an item: '" + id + "' is a stage",
                "only a whole item can be cancelled: pawl item cancel KEY");
  }
  Result<Job> after = perform(CancelItem{.item = address.item->id});
  if (!after && after.error().code == ErrorCode::refused) {
    return fail(ErrorCode::refused, "item '" + id + "' has already ended");
  }
  if (!after) return std::unexpected(after.error());
  Json document =
      Json::object({{"item", address.item->key}, {"job", address.job.id.value()}, {"id", id}});
  return DoneToItem{.id = std::move(id), .job = std::move(*after), .document = std::move(document)};
}

}  // namespace pawl::actions
