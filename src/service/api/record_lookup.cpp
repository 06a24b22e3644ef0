#include "service/api/record_lookup.hpp"

#include <utility>

#include "views/job_errors.hpp"

namespace pawl::service {

using views::Address;

namespace {

/// The address with its child, if the stage has one of this name.
Result<Address> with_child(Records& records, Address address, const Fields& fields) {
  if (!fields.has("child")) return address;
  if (!address.stage) {
    return fail(ErrorCode::invalid, "'child' needs 'stage'", "name the stage of the fan-out child");
  }
  address.child = fields.text("child");
  if (!address.is_child()) return address;
  const Result<std::vector<Task>> tasks = views::tasks_at(records, address);
  if (!tasks) return std::unexpected(tasks.error());
  if (!tasks->empty()) return address;
  return fail(ErrorCode::not_found, "no such fan-out child: '" + views::address_of(address) + "'",
              "list the children of the stage at …/children?stage=");
}

}  // namespace

Result<PinnedJob> pinned(Records& records, Job job) {
  Result<Workflow> workflow = records.workflow(job.workflow_hash);
  if (!workflow) return std::unexpected(workflow.error());
  return PinnedJob{.job = std::move(job), .workflow = std::move(*workflow)};
}

Result<PinnedJob> job_of(Call& call) {
  const Result<JobId> id = call.id<JobId>("job");
  if (!id) return std::unexpected(id.error());
  Result<Job> job = call.records().job(*id);
  if (!job) return std::unexpected(job.error());
  return pinned(call.records(), std::move(*job));
}

Result<std::optional<StageIndex>> stage_named(const Workflow& workflow, const std::string& name) {
  if (name.empty()) return std::optional<StageIndex>();
  const Result<StageIndex> stage = workflow.require_stage(name);
  if (!stage) return std::unexpected(stage.error());
  return std::optional(*stage);
}

Result<Address> item_address(Call& call, const Fields& fields) {
  Records& records = call.records();
  const Result<ItemId> id = call.id<ItemId>("item");
  if (!id) return std::unexpected(id.error());
  Result<Item> item = records.item(*id);
  if (!item) return std::unexpected(item.error());
  Result<Job> job = records.job(item->job);
  if (!job) return std::unexpected(job.error());
  Result<PinnedJob> whole = pinned(records, std::move(*job));
  if (!whole) return std::unexpected(whole.error());
  const std::string name = fields.text("stage");
  const Result<std::optional<StageIndex>> stage = stage_named(whole->workflow, name);
  if (!stage) return std::unexpected(stage.error());
  if (*stage && whole->workflow.stage(**stage).scope == Scope::all) {
    const std::string number = std::to_string(whole->job.id.value());
    return fail(ErrorCode::invalid, "stage '" + name + "' runs once for the whole job",
                "it is at /api/v1/jobs/" + number + "/stages/" + name);
  }
  return with_child(records,
                    {.job = std::move(whole->job),
                     .workflow = std::move(whole->workflow),
                     .item = std::move(*item),
                     .stage = *stage},
                    fields);
}

Result<Address> stage_address(Call& call, const Fields& fields) {
  Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  const std::string& name = call.part("stage");
  const Result<StageIndex> stage = whole->workflow.require_stage(name);
  if (!stage) return std::unexpected(stage.error());
  if (whole->workflow.stage(*stage).scope != Scope::all) {
    return fail(ErrorCode::invalid, "stage '" + name + "' runs once for each item",
                "ask for it at the item: /api/v1/items/{item}/…, with stage=" + name);
  }
  return with_child(call.records(),
                    {.job = std::move(whole->job),
                     .workflow = std::move(whole->workflow),
                     .item = std::nullopt,
                     .stage = *stage},
                    fields);
}

Result<Job> perform(Call& call, const Act& act, JobId job) {
  Result<Job> after = call.backend.engine.act(act, call.actor());
  if (!after) return std::unexpected(views::with_commands(after.error(), job));
  return after;
}

}  // namespace pawl::service
