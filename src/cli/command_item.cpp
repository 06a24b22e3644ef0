#include <algorithm>
#include <charconv>
#include <vector>

#include "cli/address.hpp"
#include "cli/attempts_view.hpp"
#include "cli/commands.hpp"
#include "cli/file_outputs.hpp"
#include "cli/session.hpp"
#include "pawl/codec/documents.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/results.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t page_size = 500;

std::string text_at(const Json& object, std::string_view key) {
  const std::optional<Json> value = member(object, key);
  return value ? string_of(*value).value_or("") : std::string();
}

/// The label of a state in tables.
std::string stage_label(const std::string& state) {
  const std::optional<StateKind> kind = from_name<StateKind>(state);
  return std::string(kind ? label_of(*kind) : std::string_view(state));
}

Paint stage_paint(const std::string& state) {
  const std::optional<StateKind> kind = from_name<StateKind>(state);
  return kind ? paint_of(*kind) : Paint::plain;
}

Table::Cell item_state(const Json& document) {
  const std::string name = text_at(document, "state");
  const std::optional<ItemState> state = from_name<ItemState>(name);
  if (!state) return {name};
  return {std::string(label_of(*state)), paint_of(*state)};
}

/// The current stage of an item: "convert: retrying". For an ended item, the stage where it ended.
std::string whereabouts(const Json& document) {
  std::string at;
  for (const Json& task : elements(member(document, "tasks").value_or(Json{}))) {
    const std::string state = text_at(task, "state");
    const bool is_quiet = state == "waiting" || state == "skipped" || state == "succeeded";
    if (is_quiet) continue;
    if (!at.empty()) at += ", ";
    at += text_at(task, "stage") + ": " + stage_label(state);
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

Result<Json> document_of(Records& records, const Item& item, const Job& job,
                         const Workflow& workflow) {
  const Result<std::vector<Task>> tasks = records.tasks_of(item.id);
  if (!tasks) return std::unexpected(tasks.error());
  return with_member(item_document(item, workflow, *tasks, job.cancelled), "id",
                     address_of(job.id, workflow, item.key));
}

std::string show_text(const Address& address, const Json& document, Session& session) {
  const Times times = session.times();
  const Item& item = *address.item;
  const Table::Cell state = item_state(document);
  std::string out =
      "item " + id_part(item.key) + "  job " + std::to_string(address.job.id.value()) + "  " +
      printable(address.workflow.name()) + "  " + session.style().paint(state.paint, state.text);
  if (!item.category.empty()) out += "  category " + printable(item.category);
  if (item.adopted_from) out += "  adopted from an earlier job";
  out += "  submitted " + times.of(item.submitted_at) + "\n";

  Table table({{"STAGE"}, {"STATE"}, {"ATTEMPTS", Table::Align::right}, {"CAUSE"}, {"NEXT"}});
  for (const Json& task : elements(member(document, "tasks").value_or(Json{}))) {
    const std::string name = text_at(task, "state");
    const std::string next = text_at(task, "next_run_at");
    const Result<Timestamp> due = parse_rfc3339(next);
    table.add({text_at(task, "stage"),
               {stage_label(name), stage_paint(name)},
               member(task, "attempts").value_or(Json{0}).text(),
               text_at(task, "cause"),
               due ? times.of(*due) : std::string()});
  }
  out += table.text(session.style());
  out += "data:\n" + printable_lines(pretty(item.data)) + "\n";
  return out;
}

}  // namespace

int item_list(Session& session, const ItemListOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<PinnedJob> pinned = pinned_job(records, options.job);
  if (!pinned) return session.fail(pinned.error());
  const auto& [job, workflow] = *pinned;
  const Result<Job> newest = newest_job(records);
  if (!newest) return session.fail(newest.error());

  ItemFilter filter{.job = job.id,
                    .state = from_name<ItemState>(options.state),
                    .category = options.category,
                    .limit = page_size};
  if (!options.after.empty()) {
    const Result<std::string> key = read_id_part(options.after);
    if (!key) return session.fail(key.error());
    const Result<Item> last = records.item(job.id, *key);
    if (!last) return session.fail(last.error());
    filter.after = last->id;
  }
  Table table({{"ITEM", Table::Align::left, 60},
               {"STATE"},
               {"CATEGORY", Table::Align::left, 20},
               {"AT", Table::Align::left, 60}});
  std::vector<Json> documents;
  std::uint32_t shown = 0;
  std::string last_key;
  bool is_cut = false;
  for (bool more = true; more && !is_cut;) {
    const Result<std::vector<Item>> page = records.items(filter);
    if (!page) return session.fail(page.error());
    more = page->size() == filter.limit;
    if (more) filter.after = page->back().id;
    for (const Item& item : *page) {
      if (options.limit > 0 && shown == options.limit) {
        is_cut = true;
        break;
      }
      ++shown;
      last_key = item.key;
      if (session.globals().quiet && !session.globals().wants_json()) {
        session.print(address_of(job.id, workflow, item.key) + "\n");
        continue;
      }
      Result<Json> document = document_of(records, item, job, workflow);
      if (!document) return session.fail(document.error());
      if (session.globals().jsonl) {
        session.print(*document);
      } else if (session.globals().json) {
        documents.push_back(std::move(*document));
      } else {
        table.add({key_text(item.key, newest->id), item_state(*document), item.category,
                   whereabouts(*document)});
      }
    }
  }
  if (session.globals().json) {
    session.print(Json::object(
        {{"items", Json::array(documents)}, {"next", is_cut ? Json(id_part(last_key)) : Json()}}));
  } else if (!session.globals().quiet && !session.globals().jsonl) {
    if (table.empty()) {
      session.say("no matching items in job " + std::to_string(job.id.value()));
    } else {
      session.print(table.text(session.style()));
    }
  }
  if (is_cut) {
    session.say("there are more: pass --limit 0 for all, or --after " +
                quoted_for_shell(id_part(last_key)));
  }
  return exit_done;
}

int item_show(Session& session, const ItemOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, {options.id, options.job, options.stage});
  if (!address) return session.fail(address.error());
  if (!address->item) {
    return session.fail({ErrorCode::refused,
                         "not an item: '" + printable(options.id) + "' is a job-wide stage",
                         "show its attempts: pawl item attempts " + quoted_for_shell(options.id)});
  }
  const Result<Json> document =
      document_of(records, *address->item, address->job, address->workflow);
  if (!document) return session.fail(document.error());
  if (session.globals().wants_json()) {
    session.print(*document);
  } else if (session.globals().quiet) {
    session.print(address_of(address->job.id, address->workflow, address->item->key) + "\n");
  } else {
    session.print(show_text(*address, *document, session));
  }
  return exit_done;
}

int item_attempts(Session& session, const ItemOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, {options.id, options.job, options.stage});
  if (!address) return session.fail(address.error());
  const Result<std::vector<TaskAttempts>> all = attempts_at(records, *address);
  if (!all) return session.fail(all.error());

  std::vector<Json> documents;
  for (const TaskAttempts& one : *all) {
    for (const Attempt& attempt : one.attempts) {
      if (!session.globals().wants_json()) continue;
      Attempt whole = attempt;
      Result<Json> output = whole_output(records, attempt.output);
      if (!output) return session.fail(output.error());
      whole.output = with_paths(records, *output);
      Json document = attempt_document(whole, one.stage);
      if (one.task.child) document = with_member(document, "child", one.task.child->key);
      if (session.globals().jsonl) {
        session.print(document);
      } else {
        documents.push_back(std::move(document));
      }
    }
  }
  if (session.globals().json) {
    session.print(Json::object({{"attempts", Json::array(documents)}}));
  } else if (!session.globals().wants_json()) {
    session.print(attempts_text(*all, address->workflow, session.style(), session.times()));
  }
  return exit_done;
}

}  // namespace pawl::cli
