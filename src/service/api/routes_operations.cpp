/// Operations: acts on many records, in the background.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "pawl/core/review_rules.hpp"
#include "service/api/letter_selection.hpp"
#include "service/api/operation_kinds.hpp"

namespace pawl::service {
namespace {

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const OperationKind& kind : operation_kinds()) names.push_back(kind.name);
  return names;
}

/// `id` and `kind`, then what the kinds take, each member once.
std::vector<Field> operation_body() {
  std::vector<Field> fields{
      {.name = "id",
       .about = "Chosen by the client, so that a request that is sent twice is one operation: 1 to "
                "64 letters, digits, '.', '-' and '_'.",
       .is_required = true,
       .length_max = 64},
      {.name = "kind",
       .about =
           "What is done. `dead_letters.retry` and `.discard` take `job`, `stage`, `filter`, `ids` "
           "or `all`, and `note` or `reason`; they need the right `operate`. `dead_letters.purge` "
           "takes the same selection, of discarded letters, and needs `destroy`. `items.retry` and "
           "`.cancel` take `job` and "
           "`state`, `stage`, `category`, `key_prefix` or `all`, a retry also `from` and "
           "`note`; they need `operate`. `reviews.approve` takes `reviews` with their digests "
           "and `note`, `.claim` takes `for_s` and `steal` (which needs `assign`), `.assign` "
           "takes `to` and `note`; they need `decide`. Reviews are approved only if all gates "
           "accepted their output, and several together only if their stage has no `bulk: "
           "false`.",
       .is_required = true,
       .words = kind_names()}};
  std::ranges::copy(letter_selection_fields(), std::back_inserter(fields));
  const std::vector<Field> more{
      {.name = "note", .about = "Feedback of a retry, or a note for the record."},
      {.name = "reason", .about = "Why the letters are discarded."},
      {.name = "state",
       .about = "Only items in this state. A retry without `from` is about failed ones, unless it "
                "is given.",
       .words = {"active", "succeeded", "failed", "cancelled", "rejected"}},
      {.name = "category", .about = "Only items of this category."},
      {.name = "key_prefix", .about = "Only items with keys that begin with this."},
      {.name = "from", .about = "The stage from which the items run again."},
      {.name = "reviews",
       .kind = FieldKind::any,
       .about =
           "A list of at most 1,000 reviews: `[{\"review\":18,\"digest\":\"sha256:…\"}]`, with "
           "the digest only to approve."},
      {.name = "to",
       .kind = FieldKind::texts,
       .about = "People and groups; an empty list: everybody.",
       .length_max = 100},
      {.name = "for_s",
       .kind = FieldKind::integer,
       .about = "How long the claims last: 600, unless it is given.",
       .min = 1,
       .max = std::chrono::duration_cast<std::chrono::seconds>(claim_max).count()},
      {.name = "steal", .kind = FieldKind::flag, .about = "Takes over the claims of others."}};
  std::ranges::copy(more, std::back_inserter(fields));
  return fields;
}

/// What was asked for. `invalid` with every member that the kind does not take.
Result<Json> details_of(const Call& call, const OperationKind& kind) {
  std::vector<std::pair<std::string, Json>> details;
  std::string strange;
  for (const Field& field : operation_body()) {
    if (field.name == "id" || field.name == "kind" || !call.body.has(field.name)) continue;
    if (std::ranges::find(kind.members, field.name) == kind.members.end()) {
      strange += (strange.empty() ? "'" : ", '") + std::string(field.name) + "'";
      continue;
    }
    details.emplace_back(field.name, *call.body.json(field.name));
  }
  if (strange.empty()) return Json::object(details);
  std::string known;
  for (const std::string_view name : kind.members) {
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return fail(ErrorCode::invalid, std::string(kind.name) + " does not take the members " + strange,
              "it takes " + known);
}

Result<Reply> start_operation(Call& call) {
  const std::string name = call.body.text("kind");
  const auto kind = std::ranges::find(operation_kinds(), name, &OperationKind::name);
  require(kind != operation_kinds().end(), "the table of routes allows only kinds");
  const Right right = call.body.flag("steal") ? Right::assign : kind->right;
  const Status may = check_permission(call.actor(), call.caller->standing, right);
  if (!may) return std::unexpected(may.error());
  Result<Json> details = details_of(call, *kind);
  if (!details) return std::unexpected(std::move(details.error()));
  OperationOrder order{.id = call.body.text("id"),
                       .kind = name,
                       .details = std::move(*details),
                       .by = call.actor(),
                       .expected = std::nullopt};
  Operations& operations = call.backend.operations;
  // What it is about may be gone when the request is repeated.
  const Result<std::optional<OperationState>> first = operations.find_same(order);
  if (!first) return std::unexpected(first.error());
  if (*first) return Document{operation_document(**first)};
  Result<PlannedOperation> planned = kind->plan(call);
  if (!planned) return std::unexpected(std::move(planned.error()));
  order.expected = planned->expected;
  const Result<OperationState> state = operations.start(std::move(order), std::move(planned->work));
  if (!state) return std::unexpected(state.error());
  return Document{operation_document(*state)};
}

Result<Page> page_of_operations(const Operations& operations, const std::string& after,
                                std::uint32_t limit) {
  const std::vector<OperationState> all = operations.all();
  auto next = all.begin();
  if (!after.empty()) {
    const auto last =
        std::ranges::find(all, after, [](const OperationState& one) { return one.order.id; });
    if (last == all.end()) {
      return fail(ErrorCode::invalid, "'after' is not the cursor of this list",
                  "pass `next` of the page before, or begin again");
    }
    next = std::next(last);
  }
  Page page;
  for (; next != all.end() && page.rows.size() < limit; ++next) {
    page.rows.push_back(operation_document(*next));
  }
  if (next != all.end()) page.next = std::prev(next)->order.id;
  return page;
}

Result<Reply> list_operations(Call& call) {
  const Operations& operations = call.backend.operations;
  return List{.page = [&operations](const std::string& after, std::uint32_t limit) {
    return page_of_operations(operations, after, limit);
  }};
}

Result<Reply> show_operation(Call& call) {
  const Result<OperationState> state = call.backend.operations.find(call.part("operation"));
  if (!state) return std::unexpected(state.error());
  return Document{operation_document(*state)};
}

Result<Reply> cancel_operation(Call& call) {
  Operations& operations = call.backend.operations;
  const std::string& id = call.part("operation");
  const Result<OperationState> state = operations.find(id);
  if (!state) return std::unexpected(state.error());
  // One's own, or as an operator.
  const Actor& by = state->order.by;
  if (by.name != call.actor().name || by.kind != call.actor().kind) {
    const Status may = check_permission(call.actor(), call.caller->standing, Right::operate);
    if (!may) return std::unexpected(may.error());
  }
  const Result<OperationState> cancelled = operations.cancel(id);
  if (!cancelled) return std::unexpected(cancelled.error());
  return Document{operation_document(*cancelled)};
}

Route route_of_operation(std::string_view method, std::string_view path, Access access,
                         Handle handle, std::string_view operation, std::string_view summary) {
  return {.method = method,
          .path = path,
          .access = access,
          .handle = handle,
          .operation = operation,
          .tag = "operations",
          .summary = summary,
          .schema = "Operation"};
}

}  // namespace

std::vector<Route> operation_routes() {
  Route list = route_of_operation("GET", "/api/v1/operations", Access::needs(Right::see),
                                  list_operations, "listOperations",
                                  "Operations, newest first: those that have not ended, and those "
                                  "of the last day.");
  list.kind = ReplyKind::list;
  list.rows = "operations";
  list.columns = {"operation", "kind",    "by",       "phase",      "expected",
                  "done",      "refused", "asked_at", "started_at", "ended_at"};
  Route start = route_of_operation("POST", "/api/v1/operations", Access::signed_in(),
                                   start_operation, "startOperation",
                                   "Begin an act on many records. It runs in the background, after "
                                   "those that were begun before. Needs the right of its kind.");
  start.body = operation_body();
  start.status = 202;
  return {std::move(list), std::move(start),
          route_of_operation("GET", "/api/v1/operations/{operation}", Access::needs(Right::see),
                             show_operation, "showOperation", "How far an operation is."),
          route_of_operation("POST", "/api/v1/operations/{operation}/cancel", Access::signed_in(),
                             cancel_operation, "cancelOperation",
                             "End an operation after the record that it is at; what it has done "
                             "stays. Other people's operations need the right `operate`.")};
}

}  // namespace pawl::service
