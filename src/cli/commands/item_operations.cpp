#include <set>

#include "actions/item_acts.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/input/id_list.hpp"
#include "cli/output/job_view.hpp"
#include "cli/session.hpp"

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

/// Performs acts on the store. Errors name commands of this program.
actions::Perform on(Store& store, const Address& address, const Actor& actor) {
  return [&store, &address, &actor](const Act& act) -> Result<Job> {
    Result<Job> after = store.act(act, actor);
    if (!after) return std::unexpected(with_commands(after.error(), address.job.id));
    return after;
  };
}

Result<Done> retry(Store& store, const Address& address, const ItemRetryOptions& options,
                   const Actor& actor) {
  const Result<actions::Retried> retried = actions::retry(store.records(), address,
                                                          {.from = options.from,
                                                           .note = options.note,
                                                           .by = actor.name,
                                                           .stage_option = "--from STAGE"},
                                                          on(store, address, actor));
  if (!retried) return std::unexpected(retried.error());
  std::string stages;
  for (const std::string& stage : retried->stages) {
    stages += (stages.empty() ? " from " : ", ") + printable(stage);
  }
  return Done{.document = retried->document,
              .words = retried->id + " runs again" + stages,
              .id = retried->id};
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
        Result<Done> done = retry(**store, *address, options, actor);
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
    const Actor actor = Session::actor(options.as);
    const Result<actions::DoneToItem> done =
        actions::cancel_item(*address, on(**store, *address, actor));
    if (!done) return std::unexpected(done.error());
    return Done{.document = done->document, .words = done->id + " cancelled", .id = done->id};
  });
}

int item_skip(Session& session, const ItemSkipOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, options.address);
  if (!address) return session.fail(address.error());
  const Actor actor = Session::actor(options.as);
  const Result<actions::DoneToItem> done =
      actions::skip(records, *address, {.reason = options.reason, .by = actor.name},
                    on(**store, *address, actor));
  if (!done) return session.fail(done.error());
  const int code = session.present({.document = [&] { return done->document; },
                                    .text = [&] { return done->id + " is skipped\n"; },
                                    .id = [&] { return done->id; }});
  if (!done->job.has_ended()) {
    session.say("continue with:  pawl resume " + std::to_string(done->job.id.value()));
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
