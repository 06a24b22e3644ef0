/// What happened: the events on record, and those that happen now.

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "service/api/call.hpp"
#include "service/api/cursor.hpp"
#include "service/live/live_events.hpp"
#include "views/event_choice.hpp"
#include "views/events.hpp"

namespace pawl::service {
namespace {

constexpr std::uint32_t read_at_once = 1'000;
/// A page reads only so many events, so that a filter that chooses few of them takes no longer than
/// others.
constexpr std::size_t read_max = 20'000;

/// The job that the query names; none if it names none. `not_found` if it does not exist.
Result<JobId> job_in(Call& call) {
  const JobId id{call.query.integer("job")};
  if (!id) return id;
  const Result<Job> job = call.records().job(id);
  if (!job) return std::unexpected(job.error());
  return id;
}

/// The chosen events, in order.
class EventList {
 public:
  EventList(Records& records, EventFilter filter, std::set<EventType> types)
      : records_(records), filter_(filter), types_(std::move(types)), names_(records) {}

  [[nodiscard]] Result<Page> page(const std::string& after, std::uint32_t limit) {
    const Result<std::int64_t> begin = number_of_cursor(after);
    if (!begin) return std::unexpected(begin.error());
    EventFilter filter = filter_;
    filter.after = *begin;
    filter.limit = read_at_once;
    Page page;
    for (std::size_t read = 0; read < read_max; read += read_at_once) {
      const Result<std::vector<Event>> events = records_.events(filter);
      if (!events) return std::unexpected(events.error());
      for (const Event& event : *events) {
        if (page.rows.size() == limit) {
          page.next = std::to_string(filter.after);
          return page;
        }
        filter.after = event.seq;
        if (!types_.contains(event.type)) continue;
        Result<Json> row = names_.document_of(event);
        if (!row) return std::unexpected(row.error());
        page.rows.push_back(std::move(*row));
      }
      if (events->size() < read_at_once) return page;
    }
    page.next = std::to_string(filter.after);
    return page;
  }

 private:
  Records& records_;
  const EventFilter filter_;
  const std::set<EventType> types_;
  views::EventNames names_;
};

Result<Reply> list_events(Call& call) {
  Result<std::set<EventType>> types = views::event_types_of(call.query.texts("type"));
  if (!types) return std::unexpected(types.error());
  const Result<Timestamp> since = views::time_since(call.query.text("since"), call.store().now());
  if (!since) return std::unexpected(since.error());
  const Result<JobId> job = job_in(call);
  if (!job) return std::unexpected(job.error());
  EventFilter filter{.job = *job, .since = *since};
  if (call.query.has("item")) {
    const Result<Item> item = call.records().item(ItemId{call.query.integer("item")});
    if (!item) return std::unexpected(item.error());
    if (filter.job && filter.job != item->job) {
      return fail(ErrorCode::not_found,
                  "job " + std::to_string(filter.job.value()) + " has no item " +
                      std::to_string(item->id.value()),
                  "leave out the job: the number of an item is enough");
    }
    filter.job = item->job;
    filter.item = item->id;
  }
  auto list = std::make_shared<EventList>(call.records(), filter, std::move(*types));
  return List{.page = [list](const std::string& after, std::uint32_t limit) {
    return list->page(after, limit);
  }};
}

/// The number after which a client wants to go on. A header wins, because browsers send it when
/// they connect again, with the address of the first time. A number that nobody gave them cannot
/// be resumed.
std::optional<EventSeq> cursor_in(const Call& call) {
  if (const auto header = call.request.headers.find("Last-Event-ID"); header && !header->empty()) {
    const std::string text(*header);
    if (text == "0") return 0;
    return number_of_cursor(text).value_or(std::numeric_limits<EventSeq>::max());
  }
  if (call.query.has("after")) return call.query.integer("after");
  return std::nullopt;
}

/// Whether the client of this call may still see events: a token can be revoked, and a session can
/// end, while the stream goes on. A store that does not answer ends no stream.
MayFollow still_allowed(const Call& call) {
  Request credentials = call.request;
  credentials.body.clear();
  return [&gatekeeper = call.gatekeeper, credentials = std::move(credentials)] {
    const Result<std::optional<Caller>> caller = gatekeeper.identify(credentials);
    if (!caller) return caller.error().code == ErrorCode::unavailable;
    if (!*caller) return false;
    return check_permission((*caller)->actor, (*caller)->standing, Right::see).has_value();
  };
}

Result<Reply> follow_events(Call& call) {
  Result<std::set<EventType>> types = views::event_types_of(call.query.texts("type"));
  if (!types) return std::unexpected(types.error());
  const Result<JobId> job = job_in(call);
  if (!job) return std::unexpected(job.error());
  EventChoice choice{.job = *job, .types = std::move(*types)};
  Response response{.status = 200};
  if (const std::optional<EventSeq> after = cursor_in(call)) {
    response.stream = call.backend.live.follow(std::move(choice), *after, still_allowed(call));
  } else {
    Result<std::shared_ptr<BodyStream>> stream =
        call.backend.live.follow(std::move(choice), still_allowed(call));
    if (!stream) return std::unexpected(stream.error());
    response.stream = std::move(*stream);
  }
  response.headers.add("Content-Type", "text/event-stream; charset=utf-8");
  response.headers.add("Cache-Control", "no-store");
  // nginx would hold the events back until its buffer is full.
  response.headers.add("X-Accel-Buffering", "no");
  return response;
}

Field job_field() {
  return {.name = "job", .kind = FieldKind::integer, .about = "Only events of this job.", .min = 1};
}

Field type_field() {
  return {.name = "type",
          .kind = FieldKind::texts,
          .about =
              "Only events of these types, such as `gate.rejected`. `*` stands for any text: "
              "`review.*`.",
          .length_max = 64};
}

}  // namespace

std::vector<Route> event_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/events",
       .access = Access::needs(Right::see),
       .handle = list_events,
       .operation = "listEvents",
       .tag = "events",
       .summary = "What happened, in order. A page may have fewer rows than its limit and still be "
                  "followed by others.",
       .query = {job_field(),
                 {.name = "item",
                  .kind = FieldKind::integer,
                  .about = "Only events of the item with this number.",
                  .min = 1},
                 type_field(),
                 {.name = "since",
                  .about = "Only events since then: `15m` for the last 15 minutes, or a time such "
                           "as `2026-03-01T12:00:00Z`.",
                  .length_max = 100}},
       .kind = ReplyKind::list,
       .schema = "Event",
       .rows = "events",
       .columns = {"seq", "at", "type", "job", "item", "stage", "child", "attempt_number", "data"}},
      {.method = "GET",
       .path = "/api/v1/events/stream",
       .access = Access::needs(Right::see),
       .handle = follow_events,
       .operation = "followEvents",
       .tag = "events",
       .summary = "The events as they happen, as server-sent events: `id` is `seq`, `event` the "
                  "type, `data` the document of the event.",
       .query = {job_field(),
                 type_field(),
                 {.name = "after",
                  .kind = FieldKind::integer,
                  .about = "Begins after the event with this number; 0: with the first one. The "
                           "header `Last-Event-ID` wins. Without both: what happens from now on.",
                  .min = 0}},
       .kind = ReplyKind::other,
       .content_type = "text/event-stream"},
  };
}

}  // namespace pawl::service
