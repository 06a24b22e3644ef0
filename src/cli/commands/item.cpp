#include <algorithm>
#include <charconv>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/attempts_view.hpp"
#include "cli/output/listing.hpp"
#include "cli/output/live_view.hpp"
#include "cli/session.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "store/fitting.hpp"
#include "views/criteria_document.hpp"
#include "views/items.hpp"
#include "views/stage_items.hpp"

namespace pawl::cli {

using views::cause_of;
using views::criteria_document;
using views::each_item_at;
using views::items_at;
using views::load_item;
using views::shown_item_document;
using views::ShownItem;
using views::whole_attempt_document;

namespace {

struct ItemListOptions {
  std::optional<std::int64_t> job;
  std::string state;
  std::string category;
  std::string stage;
  std::string key_prefix;
  std::uint32_t limit = 100;
  bool csv = false;
  std::string after;  ///< the key of the last item of the previous page
};

constexpr std::uint32_t page_size = 500;

Table::Cell item_state(const ShownItem& shown) {
  return {std::string(label_of(shown.state)), paint_of(shown.state)};
}

/// A state by the word of the tables or of the documents; none for no word.
std::optional<ItemState> item_state_named(const std::string& word) {
  if (word == "done") return ItemState::succeeded;
  if (word == "dead") return ItemState::failed;
  return from_name<ItemState>(word);
}

/// The current stage of an item: "convert: retrying". For an ended item, the stage where it ended.
std::string whereabouts(const ShownItem& shown, const Workflow& workflow) {
  std::string at;
  for (const ShownTask& task : shown.tasks) {
    const StateKind state = task.kind();
    const bool is_quiet =
        state == StateKind::waiting || state == StateKind::skipped || state == StateKind::succeeded;
    if (is_quiet) continue;
    if (!at.empty()) at += ", ";
    at += workflow.stage(task.stage).name + ": " + std::string(label_of(state));
  }
  return at;
}

/// A key as a list shows it. If it could be read as JOB/KEY, its slashes are escaped, so that
/// commands accept the key as shown.
std::string key_text(const std::string& key, JobId newest) {
  const std::size_t slash = key.find('/');
  std::int64_t number = 0;
  const auto read = std::from_chars(key.data(), key.data() + std::min(slash, key.size()), number);
  const bool is_number =
      slash != std::string::npos && read.ec == std::errc{} && read.ptr == key.data() + slash;
  return id_part(key, is_number && number > 0 && number <= newest.value() ? "/" : "");
}

/// How many attempts a stage has had. Those of a fan-out are no tries of its work: they expand the
/// list and join the children.
std::string attempts_in_words(Records& records, const ShownTask& task) {
  if (!task.stored) return "0";
  std::string count = std::to_string(task.stored->attempts);
  if (task.stored->expansion == 0) return count;
  const Result<std::vector<Attempt>> attempts = records.attempts(task.stored->id);
  if (!attempts) return count;
  const auto expanding = std::ranges::count(*attempts, AttemptResult::expanded, &Attempt::result);
  const auto joining = std::ranges::count(*attempts, Cause::join, &Attempt::cause);
  std::string parts;
  if (expanding > 0) parts += std::to_string(expanding) + " expand";
  if (joining > 0) parts += (parts.empty() ? "" : ", ") + std::to_string(joining) + " join";
  return parts.empty() ? count : count + " (" + parts + ")";
}

std::string show_text(Records& records, const Address& address, const ShownItem& shown,
                      const std::vector<RunningAttempt>& running, Session& session) {
  const Times times = session.times();
  const Item& item = shown.item;
  const Table::Cell state = item_state(shown);
  std::string out =
      "item " + id_part(item.key) + "  job " + std::to_string(address.job.id.value()) + "  " +
      printable(address.workflow.name()) + "  " + session.style().paint(state.paint, state.text);
  if (!item.category.empty()) out += "  category " + printable(item.category);
  if (item.adopted_from) out += "  adopted from an earlier job";
  out += "  submitted " + times.of(item.submitted_at) + "\n";

  Table table({{"STAGE"}, {"STATE"}, {"ATTEMPTS", Table::Align::right}, {"CAUSE"}, {"NEXT"}});
  for (const ShownTask& task : shown.tasks) {
    const auto* const retry = std::get_if<RetryScheduled>(&task.state);
    const bool is_due = retry != nullptr && retry->next_run_at != no_time;
    table.add({address.workflow.stage(task.stage).name,
               {std::string(label_of(task.kind())), paint_of(task.kind())},
               attempts_in_words(records, task),
               std::string(cause_of(task)),
               is_due ? times.of(retry->next_run_at) : std::string()});
  }
  out += table.text(session.style()) + running_text(running, session.style(), std::string::npos);
  out += "data:\n" + printable_lines(pretty(item.data)) + "\n";
  return out;
}

/// The stage with this name, which must be a stage of items; none for no name.
Result<std::optional<StageIndex>> item_stage(const Workflow& workflow, const std::string& name) {
  if (name.empty()) return std::optional<StageIndex>();
  const Result<StageIndex> stage = workflow.require_stage(name);
  if (!stage) return std::unexpected(stage.error());
  if (workflow.stage(*stage).scope != Scope::all) return std::optional(*stage);
  return pawl::fail(ErrorCode::invalid,
                    "stage '" + printable(name) + "' runs once for the whole job: no item is at it",
                    "see it: pawl status");
}

int item_list(Session& session, const ItemListOptions& options) {
  if (options.csv && session.output() != OutputMode::text) return fail_csv(session);
  const Result<PinnedJob> pinned = pinned_job(session, options.job);
  if (!pinned) return session.fail(pinned.error());
  const auto& [store, job, workflow] = *pinned;
  Records& records = store->records();
  const Result<Job> newest = newest_job(records);
  if (!newest) return session.fail(newest.error());

  ItemFilter filter{.job = job.id,
                    .state = item_state_named(options.state),
                    .category = options.category,
                    .key_prefix = options.key_prefix,
                    .limit = page_size};
  const Result<std::optional<StageIndex>> named = item_stage(workflow, options.stage);
  if (!named) return session.fail(named.error());
  const std::optional<StageIndex>& stage = *named;
  if (!options.after.empty()) {
    const Result<std::string> key = read_id_part(options.after);
    if (!key) return session.fail(key.error());
    const Result<Item> last = records.item(job.id, *key);
    if (!last) return session.fail(last.error());
    filter.after = last->id;
  }
  Listing list(session, {.array = "items",
                         .columns = {{"ITEM", Table::Align::left, 60},
                                     {"STATE"},
                                     {"CATEGORY", Table::Align::left, 20},
                                     {"AT", Table::Align::left, 60}},
                         .limit = options.limit,
                         .csv = options.csv});
  std::string last_key;
  const auto see = [&](const Item& item) -> Result<bool> {
    const auto document = [&]() -> Result<Json> {
      const Result<ShownItem> shown = load_item(records, item, job, workflow);
      if (!shown) return std::unexpected(shown.error());
      return shown_item_document(*shown, workflow);
    };
    const auto cells = [&]() -> Result<Listing::Cells> {
      const Result<ShownItem> shown = load_item(records, item, job, workflow);
      if (!shown) return std::unexpected(shown.error());
      return Listing::Cells{options.csv ? item.key : key_text(item.key, newest->id),
                            item_state(*shown), item.category, whereabouts(*shown, workflow)};
    };
    const auto id = [&] { return address_of(job.id, workflow, item.key); };
    const bool added = list.add({.document = document, .id = id, .cells = cells});
    if (added) last_key = item.key;
    return added;
  };
  // Only the tasks of a stage can be looked up by it.
  const auto see_matching = [&](const Item& item) -> Result<bool> {
    return !store::fits(item, job.cancelled, filter) || see(item);
  };
  const Status read = stage ? each_item_at(records, job.id, *stage, filter.after, see_matching)
                            : each_row(records, filter, see);
  if (!read) return session.fail(read.error());
  Listing::Ending ending{.none = "no matching items in job " + std::to_string(job.id.value()),
                         .next = list.is_cut() ? Json(id_part(last_key)) : Json()};
  const bool has_only_stage = !filter.state && filter.category.empty() && filter.key_prefix.empty();
  if (!stage) {
    ending.total = [&] { return records.count(filter); };
  } else if (has_only_stage) {
    ending.total = [&] { return Tally{.count = items_at(job, *stage)}; };
  }
  return list.finish(ending);
}

int item_show(Session& session, const AddressText& asked) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, asked);
  if (!address) return session.fail(address.error());
  if (!address->item) {
    return session.fail({ErrorCode::refused,
                         "not an item: '" + printable(asked.text) + "' is a job-wide stage",
                         "show its attempts: pawl item attempts " + quoted_for_shell(asked.text)});
  }
  const Result<ShownItem> shown =
      load_item(records, *address->item, address->job, address->workflow);
  if (!shown) return session.fail(shown.error());
  const auto id = [&] {
    return address_of(address->job.id, address->workflow, address->item->key);
  };
  const std::vector<RunningAttempt> running =
      running_now(session, records, address->job, address->workflow, address->item->id);
  return session.present(
      {.document =
           [&] { return with_live(shown_item_document(*shown, address->workflow), running); },
       .text = [&] { return show_text(records, *address, *shown, running, session); },
       .id = id});
}

/// The criteria of each task that has attempts.
Json criteria_documents(Records& records, const std::vector<TaskAttempts>& all) {
  std::vector<Json> documents;
  for (const TaskAttempts& one : all) {
    if (!one.attempts.empty()) documents.push_back(criteria_document(records, one));
  }
  return Json::array(documents);
}

int item_attempts(Session& session, const AddressText& asked) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, asked);
  if (!address) return session.fail(address.error());
  const Result<std::vector<TaskAttempts>> all = attempts_at(records, *address);
  if (!all) return session.fail(all.error());

  Listing list(session, {.array = "attempts", .has_ids = false});
  for (const TaskAttempts& one : *all) {
    for (const Attempt& attempt : one.attempts) {
      list.add({.document = [&] { return whole_attempt_document(records, one, attempt); }});
    }
  }
  Listing::Ending ending;
  if (session.output() == OutputMode::json) {
    ending.members = {{"criteria", criteria_documents(records, *all)}};
  } else if (!session.prints_json()) {
    ending.text = attempts_text(records, *all, address->workflow, session.style(), session.times());
  }
  return list.finish(ending);
}

}  // namespace

CommandEntry item_list_command() {
  return command(
      "item list", "pawl item list --state failed -q",
      "List the items of a job, in order of arrival.", &item_list,
      [](ItemListOptions& it) -> Words {
        return {
            option("--job", &it.job, "JOB", "The job; default: the newest"),
            choice("--state", &it.state,
                   {"active", "done", "succeeded", "dead", "failed", "cancelled", "rejected"},
                   "Only items in this state"),
            option("--category", &it.category, "NAME", "Only items of this category"),
            option("--stage", &it.stage, "STAGE",
                   "Only items that are at this stage, or ended there without success"),
            option("--key-prefix", &it.key_prefix, "TEXT", "Only items whose key begins with this"),
            csv_flag(it.csv),
            limit_option(it.limit),
            option("--after", &it.after, "KEY", "Continue the list after this key")};
      });
}

CommandEntry item_show_command() {
  return command("item show", "pawl item show doc-0419", "Show an item with every stage.",
                 &item_show, &words_of_address);
}

CommandEntry item_attempts_command() {
  return command("item attempts", "pawl item attempts doc-0419 --stage convert",
                 "Show every attempt: result, verdict, what the gates found, decision.",
                 &item_attempts, &words_of_address);
}

}  // namespace pawl::cli
