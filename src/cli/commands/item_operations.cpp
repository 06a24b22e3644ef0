#include <algorithm>
#include <set>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/input/id_list.hpp"
#include "cli/output/job_view.hpp"
#include "cli/session.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::cli {
namespace {

struct ItemRetryOptions {
  std::vector<std::string> ids;  ///< "-": read from stdin
  std::optional<std::int64_t> job;
  std::string from;
  std::string note;
  std::string as;
};

struct ItemCancelOptions {
  std::vector<std::string> ids;
  std::optional<std::int64_t> job;
  std::string as;
};

struct ItemSkipOptions {
  AddressText address;
  std::string reason;
  std::string as;
};

/// The stages to rerun: the named one, else every failed one.
Result<std::vector<StageIndex>> stages_to_retry(Records& records, const Address& address,
                                                const std::string& from) {
  const std::string key = address.item ? address.item->key : address.workflow.name();
  if (!from.empty()) {
    const Result<StageIndex> stage = address.workflow.require_stage(from);
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
    return pawl::fail(ErrorCode::refused, "no stage of item '" + printable(key) + "' has failed",
                      "pass --from STAGE to choose the stage to rerun");
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
  const std::string key = address.item ? address.item->key : std::string();
  return pawl::fail(ErrorCode::refused,
                    "stage '" + printable(address.workflow.stage(stage).name) + "' of '" +
                        printable(key) + "' has not started yet",
                    help);
}

Result<Done> retry(Store& store, const Address& address, const ItemRetryOptions& options,
                   const Actor& actor) {
  const std::string key = address.item ? address.item->key : std::string();
  if (address.item && address.item->adopted_from) {
    return pawl::fail(ErrorCode::refused,
                      "item '" + printable(key) + "' was adopted from an earlier job",
                      "run it again in a new job: pawl run FILE --fresh");
  }
  const Result<std::vector<StageIndex>> stages =
      stages_to_retry(store.records(), address, options.from);
  if (!stages) return std::unexpected(stages.error());
  std::vector<Json> names;
  std::string words;
  for (const StageIndex stage : *stages) {
    const std::string& name = address.workflow.stage(stage).name;
    const Result<Task> task =
        started_task(store.records(), address, stage, "pass --from with an earlier stage");
    if (!task) return std::unexpected(task.error());
    // The rerun of an earlier stage may have included this one.
    const bool was_found_failed = options.from.empty() && !address.stage;
    if (was_found_failed && task->kind() != StateKind::failed) continue;
    const Result<Job> after = store.act(Rerun{.task = task->id,
                                              .cause = Cause::manual,
                                              .note = options.note,
                                              .by = actor.name,
                                              .expected = task->version},
                                        actor);
    if (!after) return std::unexpected(with_commands(after.error(), address.job.id));
    names.emplace_back(name);
    words += (words.empty() ? "" : ", ") + printable(name);
  }
  // Without a key it is a single job-wide stage.
  const std::string id =
      address.item ? address_of(address.job.id, address.workflow, key)
                   : address_of(address.job.id, {}, address.workflow.stage(stages->front()).name);
  return Done{.document = Json::object({{"item", key},
                                        {"job", address.job.id.value()},
                                        {"stages", Json::array(names)},
                                        {"id", id}}),
              .words = id + " runs again from " + words,
              .id = id};
}

/// A failed child of a fan-out runs again; its siblings keep their results.
Result<Done> retry_child(Store& store, const Address& address, const ItemRetryOptions& options,
                         const Actor& actor) {
  const std::string id = address_of(address);
  const Result<std::optional<Task>> child = views::current_child(store.records(), address);
  if (!child) return std::unexpected(child.error());
  const bool has_failed = *child && (*child)->kind() == StateKind::failed;
  if (!has_failed) {
    return pawl::fail(ErrorCode::refused, "fan-out child '" + id + "' has not failed",
                      "only failed children run again by themselves; the stage with all its "
                      "children: pawl item retry " +
                          quoted_for_shell(id.substr(0, id.rfind('['))));
  }
  const Result<Job> after = store.act(Rerun{.task = (*child)->id,
                                            .cause = Cause::manual,
                                            .note = options.note,
                                            .by = actor.name,
                                            .expected = (*child)->version},
                                      actor);
  if (!after) return std::unexpected(with_commands(after.error(), address.job.id));
  const std::string& stage = address.workflow.stage(*address.stage).name;
  return Done{.document = Json::object({{"item", address.item ? address.item->key : std::string()},
                                        {"job", address.job.id.value()},
                                        {"stages", Json::array({Json(stage)})},
                                        {"child", *address.child},
                                        {"id", id}}),
              .words = id + " runs again",
              .id = id};
}

int item_retry(Session& session, const ItemRetryOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Actor actor = Session::actor(options.as);
  std::set<std::int64_t> jobs;
  const int code =
      do_each(session, read_ids(session, options.ids), [&](const std::string& id) -> Result<Done> {
        const Result<Address> address = resolve((*store)->records(), {id, options.job});
        if (!address) return std::unexpected(address.error());
        Result<Done> done = address->is_child() ? retry_child(**store, *address, options, actor)
                                                : retry(**store, *address, options, actor);
        if (done) jobs.insert(address->job.id.value());
        return done;
      });
  for (const std::int64_t job : jobs)
    session.say("continue with:  pawl resume " + std::to_string(job));
  return code;
}

int item_cancel(Session& session, const ItemCancelOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const std::vector<std::string> ids = read_ids(session, options.ids);
  const std::string what = ids.size() == 1 ? "item '" + printable(ids.front()) + "'"
                                           : counted(static_cast<std::int64_t>(ids.size()), "item");
  if (ids.empty()) return session.fail_usage("no items given");
  const Status agreed = session.confirm("Cancel " + what + "? This cannot be undone.");
  if (!agreed) return session.fail(agreed.error());
  return do_each(session, ids, [&](const std::string& id) -> Result<Done> {
    const Result<Address> address = resolve((*store)->records(), {id, options.job});
    if (!address) return std::unexpected(address.error());
    if (!address->item || address->stage) {
      return pawl::fail(ErrorCode::invalid, "not an item: '" + printable(id) + "' is a stage",
                        "only a whole item can be cancelled: pawl item cancel KEY");
    }
    const Result<Job> after =
        (*store)->act(CancelItem{.item = address->item->id}, Session::actor(options.as));
    if (!after && after.error().code == ErrorCode::refused) {
      return pawl::fail(ErrorCode::refused, "item '" + printable(id) + "' has already ended");
    }
    if (!after) return std::unexpected(after.error());
    const std::string name = address_of(*address);
    return Done{.document = Json::object(
                    {{"item", address->item->key}, {"job", address->job.id.value()}, {"id", name}}),
                .words = name + " cancelled",
                .id = name};
  });
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
  return pawl::fail(ErrorCode::not_found, "no such child: '" + address_of(address) + "'");
}

int item_skip(Session& session, const ItemSkipOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, options.address);
  if (!address) return session.fail(address.error());
  if (!address->stage) {
    std::string names;
    for (const StageDefinition& stage : address->workflow.definition().stages) {
      names += (names.empty() ? "" : ", ") + printable(stage.name);
    }
    return session.fail_usage("no stage given", "name the stage to skip: " + names);
  }
  const Result<Task> task = named_task(records, *address);
  if (!task) return session.fail(task.error());
  const Actor actor = Session::actor(options.as);
  const Result<Job> after = (*store)->act(
      SkipTask{
          .task = task->id, .reason = options.reason, .by = actor.name, .expected = task->version},
      actor);
  if (!after) return session.fail(with_commands(after.error(), address->job.id));
  std::string id = address_of(*address);
  const auto document = [&] {
    return Json::object({{"item", address->item ? Json(address->item->key) : Json()},
                         {"job", address->job.id.value()},
                         {"stage", address->workflow.stage(*address->stage).name},
                         {"id", id}});
  };
  const int code = session.present({.document = document,
                                    .text = [&] { return id + " is skipped\n"; },
                                    .id = [&] { return id; }});
  if (!after->has_ended()) {
    session.say("continue with:  pawl resume " + std::to_string(after->id.value()));
  }
  return code;
}

}  // namespace

CommandEntry item_retry_command() {
  return command(
      "item retry", "pawl item retry doc-0419 --from convert --note \"keep the tables\"",
      "Rerun an item from a stage; all stages after it run again, too.", &item_retry,
      [](ItemRetryOptions& it) -> Words {
        return {argument(&it.ids, "ID...", "KEY, JOB/KEY or KEY/STAGE; - reads them from stdin"),
                job_of_key_option(it.job),
                option("--from", &it.from, "STAGE", "The stage; default: every failed stage"),
                option("--note", &it.note, "TEXT", "Feedback for the next attempt"),
                person_option(it.as)};
      });
}

CommandEntry item_cancel_command() {
  return command("item cancel", "pawl item cancel doc-0419",
                 "Cancel items; the other items continue.", &item_cancel,
                 [](ItemCancelOptions& it) -> Words {
                   return {argument(&it.ids, "ID...", "KEY or JOB/KEY; - reads them from stdin"),
                           job_of_key_option(it.job), person_option(it.as)};
                 });
}

CommandEntry item_skip_command() {
  return command("item skip", "pawl item skip doc-0419 translate --reason \"already English\"",
                 "Skip a stage of an item by hand; the stages after it go on.", &item_skip,
                 [](ItemSkipOptions& it) -> Words {
                   return {argument(&it.address.text, "ID", "KEY, JOB/KEY or KEY/STAGE"),
                           optional_argument(&it.address.stage, "STAGE",
                                             "The stage, if the id does not name it"),
                           job_of_key_option(it.address.job),
                           required_option("--reason,--note", &it.reason, "TEXT", "The reason"),
                           person_option(it.as)};
                 });
}

}  // namespace pawl::cli
