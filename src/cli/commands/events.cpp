#include "views/events.hpp"

#include <algorithm>
#include <set>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "views/event_choice.hpp"

namespace pawl::cli {
namespace {

struct EventsOptions {
  bool follow = false;
  std::optional<std::int64_t> job;
  std::string item;
  std::vector<std::string> types;  ///< "gate.*"
  std::string since;               ///< "15m", or an RFC 3339 time
};

constexpr std::uint32_t page_size = 1'000;
constexpr Duration between_looks = std::chrono::milliseconds(100);

class EventPrinter {
 public:
  /// An endless list has no end at which one document could be printed.
  EventPrinter(Session& session, Records& records, std::set<EventType> types, bool follows)
      : session_(session),
        records_(records),
        types_(std::move(types)),
        follows_(follows),
        list_(session, {.array = "events", .has_ids = false}),
        names_(records) {}

  /// Prints the events after `filter.after`, and advances it.
  Status print_new(EventFilter& filter) {
    for (;;) {
      const Result<std::vector<Event>> page = records_.events(filter);
      if (!page) return std::unexpected(page.error());
      for (const Event& event : *page) {
        if (!types_.contains(event.type)) continue;
        if (const Status printed = print(event); !printed) return printed;
      }
      if (!page->empty()) filter.after = page->back().seq;
      if (page->size() < filter.limit) return {};
    }
  }

  /// Prints the end of the list.
  int finish() { return list_.finish(); }

 private:
  Status print(const Event& event) {
    const Result<Json> document = names_.document_of(event);
    if (!document) return std::unexpected(document.error());
    const Result<std::string> place = names_.place_of(event);
    if (!place) return std::unexpected(place.error());
    const auto same = [&] { return *document; };
    const auto text = [&] { return line(event, *place, *document); };
    if (follows_) {
      session_.present({.document = same, .text = text});
    } else {
      list_.add({.document = same, .text = text});
    }
    return {};
  }

  std::string line(const Event& event, const std::string& place, const Json& document) {
    const Times times = session_.times();
    std::string type(name_of(event.type));
    type.resize(std::max<std::size_t>(type.size(), 21), ' ');
    std::string out =
        times.of_entry(event.at) + "  " + session_.style().paint(Paint::bold, type) + "  ";
    out += place;
    if (event.attempt != 0) out += " #" + std::to_string(event.attempt);
    for (const auto& [key, value] : members(field(document, "data"))) {
      const Result<std::string> text = JsonView(value).string();
      const bool is_plain = text && text->find_first_of(" \"=") == std::string::npos;
      out += "  " + printable(key) + "=" + printable(is_plain ? *text : value.text());
    }
    return out + "\n";
  }

  Session& session_;
  Records& records_;
  std::set<EventType> types_;
  bool follows_;
  Listing list_;
  views::EventNames names_;
};

int events(Session& session, const EventsOptions& options) {
  const Result<std::set<EventType>> types = views::event_types_of(options.types);
  if (!types) return session.fail(types.error());
  std::optional<StopSignals> signals;
  if (options.follow) signals.emplace();
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Timestamp> since = views::time_since(options.since, (*store)->now());
  if (!since) return session.fail(since.error());

  EventFilter filter{.since = *since, .limit = page_size};
  if (options.job) {
    const Result<Job> job = records.job(JobId{*options.job});
    if (!job) return session.fail(job.error());
    filter.job = job->id;
  }
  if (!options.item.empty()) {
    const Result<Address> address = resolve(records, {options.item, options.job});
    if (!address) return session.fail(address.error());
    if (!address->item || address->stage) {
      return session.fail_usage("not an item: '" + printable(options.item) + "' is a stage",
                                "pass --item KEY or --item JOB/KEY");
    }
    filter.job = address->job.id;
    filter.item = address->item->id;
  }

  EventPrinter printer(session, records, *types, options.follow);
  for (;;) {
    const std::uint64_t mark = (*store)->change_mark();
    if (const Status printed = printer.print_new(filter); !printed) {
      return session.fail(printed.error());
    }
    if (!options.follow) return printer.finish();
    session.streams().out->flush();
    while ((*store)->change_mark() == mark) {
      if (signals->wait(between_looks)) return exit_interrupted;
      if (!*session.streams().out) return exit_failed;
    }
  }
}

}  // namespace

CommandEntry events_command() {
  return command("events", "pawl events --follow --type 'gate.*'", "Print what happened, in order.",
                 &events, [](EventsOptions& it) -> Words {
                   return {
                       flag("--follow,-f", it.follow, "Wait for new events"),
                       option("--job", &it.job, "JOB", "Only events of this job"),
                       option("--item", &it.item, "ID", "Only events of this item: KEY or JOB/KEY"),
                       list_option("--type", it.types, "TYPE",
                                   "Only events of this type, such as gate.*; may be repeated"),
                       option("--since", &it.since, "TIME",
                              "Only events since then: 15m, or 2026-03-01T12:00:00Z"),
                   };
                 });
}

}  // namespace pawl::cli
