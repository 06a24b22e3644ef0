/// Items, their stages and their attempts; and the same for job-wide stages.

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "service/api/item_handlers.hpp"

namespace pawl::service {
namespace {

using Columns = std::vector<std::string_view>;

const Columns attempt_columns{"stage",       "child",          "attempt_number", "cause",
                              "result",      "verdict",        "started_at",     "ended_at",
                              "duration_ms", "usage.cost_usd", "usage.tokens",   "summary"};
const Columns log_columns{"stage", "attempt_number", "stream", "size", "running", "text"};
const Columns decision_columns{"at", "stage", "child",       "attempt_number", "trigger",
                               "by", "rule",  "explanation", "decision"};
const Columns child_columns{"child", "stage", "state", "label", "cause", "attempts", "next_run_at"};

Field stage_field(std::string_view about) { return {.name = "stage", .about = about}; }
Field child_field() {
  return {.name = "child",
          .about = "Only the fan-out child with this key; empty: the stage without its children."};
}
Field attempt_number(std::string_view name, std::string_view about) {
  return {.name = name, .kind = FieldKind::integer, .about = about, .min = 1, .max = UINT32_MAX};
}
Field expected_field() {
  return {.name = "expected",
          .kind = FieldKind::integer,
          .about = "The `version` of the task as it was seen: a 409 if it has changed since.",
          .min = 1};
}
Field note_field() { return {.name = "note", .about = "Feedback for the next attempt."}; }
Field reason_field() {
  return {.name = "reason", .about = "Why it is skipped.", .is_required = true};
}

/// The addresses of what exists for the stages of an item and for job-wide stages.
struct Place {
  std::string_view attempts;
  std::string_view logs;
  std::string_view why;
  std::string_view criteria;
  std::string_view diff;
  std::string_view children;
};

/// The routes that read what happened there.
template <template <AddressHandle> class Of>
std::vector<Route> history_of(const Place& place, const std::vector<std::string_view>& operations,
                              const std::vector<Field>& where, const std::vector<Field>& children) {
  const Access see = Access::needs(Right::see);
  const auto query = [&where](std::vector<Field> more) {
    std::vector<Field> all = where;
    std::ranges::move(more, std::back_inserter(all));
    return all;
  };
  return {
      {.method = "GET",
       .path = place.attempts,
       .access = see,
       .handle = Of<&list_attempts>::handle,
       .operation = operations[0],
       .tag = "items",
       .summary = "Every attempt: result, verdict, what the gates found, decision. A large output "
                  "is a reference to a file.",
       .query = query({}),
       .kind = ReplyKind::list,
       .schema = "Attempt",
       .rows = "attempts",
       .columns = attempt_columns},
      {.method = "GET",
       .path = place.logs,
       .access = see,
       .handle = Of<&list_logs>::handle,
       .operation = operations[1],
       .tag = "items",
       .summary = "What the commands wrote to stdout and stderr; of an attempt that runs here, "
                  "what it has written so far.",
       .query = query({attempt_number("attempt", "Only this attempt.")}),
       .kind = ReplyKind::list,
       .schema = "LogText",
       .rows = "logs",
       .columns = log_columns},
      {.method = "GET",
       .path = place.why,
       .access = see,
       .handle = Of<&list_decisions>::handle,
       .operation = operations[2],
       .tag = "items",
       .summary = "Every decision with its rule, and what is waited for now.",
       .query = query({}),
       .kind = ReplyKind::list,
       .schema = "DecisionReason",
       .rows = "decisions",
       .beside = "WaitReasons",
       .columns = decision_columns},
      {.method = "GET",
       .path = place.criteria,
       .access = see,
       .handle = Of<&show_criteria>::handle,
       .operation = operations[3],
       .tag = "items",
       .summary = "The criteria of the gates over all attempts, and whether they are nearly met.",
       .query = query({}),
       .schema = "Criteria"},
      {.method = "GET",
       .path = place.diff,
       .access = see,
       .handle = Of<&compare_attempts>::handle,
       .operation = operations[4],
       .tag = "items",
       .summary = "The outputs of two attempts, line by line.",
       .query = query({attempt_number("from", "The older attempt; else the one before the newest."),
                       attempt_number("to", "The newer attempt; else the newest.")}),
       .schema = "OutputDiff"},
      {.method = "GET",
       .path = place.children,
       .access = see,
       .handle = Of<&list_children>::handle,
       .operation = operations[5],
       .tag = "items",
       .summary = "The fan-out children of a stage, those of the newest expansion.",
       .query = children,
       .kind = ReplyKind::list,
       .schema = "FanOutChild",
       .rows = "children",
       .columns = child_columns},
  };
}

template <AddressHandle Handler>
struct OfItem {
  static constexpr Handle handle = &of_item<Handler>;
};
template <AddressHandle Handler>
struct OfStage {
  static constexpr Handle handle = &of_stage<Handler>;
};

std::vector<Route> listing() {
  const Access see = Access::needs(Right::see);
  return {
      {.method = "GET",
       .path = "/api/v1/jobs/{job}/items",
       .access = see,
       .handle = &list_items,
       .operation = "listItems",
       .tag = "items",
       .summary = "The items of a job, in order of arrival. `cause` says why each is in its state.",
       .query = {{.name = "state",
                  .about = "Only items in this state.",
                  .words = {"active", "done", "succeeded", "dead", "failed", "cancelled",
                            "rejected"}},
                 stage_field("Only items that are at this stage, or ended there without success."),
                 {.name = "category", .about = "Only items of this category."},
                 {.name = "key_prefix", .about = "Only items whose key begins with this."}},
       .kind = ReplyKind::list,
       .schema = "Item",
       .rows = "items",
       .columns = {"item", "item_id", "state", "cause", "category", "submitted_at", "id"}},
      {.method = "GET",
       .path = "/api/v1/jobs/{job}/item",
       .access = see,
       .handle = &show_item_by_key,
       .operation = "showItemByKey",
       .tag = "items",
       .summary = "The item of a job with this key.",
       .query = {{.name = "key", .about = "The whole key.", .is_required = true}},
       .schema = "Item"},
      {.method = "GET",
       .path = "/api/v1/items/{item}",
       .access = see,
       .handle = &show_item,
       .operation = "showItem",
       .tag = "items",
       .summary = "An item with every stage, and what its running attempts report.",
       .schema = "Item"},
  };
}

Route act(std::string_view path, Handle handle, std::string_view operation,
          std::string_view summary, std::vector<Field> body) {
  return {.method = "POST",
          .path = path,
          .access = Access::needs(Right::operate),
          .handle = handle,
          .operation = operation,
          .tag = "items",
          .summary = summary,
          .body = std::move(body),
          .schema = "ItemAct"};
}

std::vector<Route> acting() {
  Field skipped_stage = stage_field("The stage to skip.");
  skipped_stage.is_required = true;
  return {
      act("/api/v1/items/{item}/retry", &of_item<&retry_at>, "retryItem",
          "Reruns an item from a stage; all stages after it run again, too.",
          {stage_field("The stage; else every failed one."), child_field(), note_field(),
           expected_field()}),
      act("/api/v1/items/{item}/skip", &of_item<&skip_at>, "skipStageOfItem",
          "Skips a stage of an item by hand; the stages after it go on.",
          {skipped_stage, child_field(), reason_field(), expected_field()}),
      act("/api/v1/items/{item}/cancel", &of_item<&cancel_at>, "cancelItem",
          "Cancels an item; the other items continue. This cannot be undone.", {}),
      act("/api/v1/jobs/{job}/stages/{stage}/retry", &of_stage<&retry_at>, "retryJobStage",
          "Reruns a job-wide stage.", {child_field(), note_field(), expected_field()}),
      act("/api/v1/jobs/{job}/stages/{stage}/skip", &of_stage<&skip_at>, "skipJobStage",
          "Skips a job-wide stage by hand.", {child_field(), reason_field(), expected_field()}),
  };
}

}  // namespace

std::vector<Route> item_routes() {
  const Place item{.attempts = "/api/v1/items/{item}/attempts",
                   .logs = "/api/v1/items/{item}/logs",
                   .why = "/api/v1/items/{item}/why",
                   .criteria = "/api/v1/items/{item}/criteria",
                   .diff = "/api/v1/items/{item}/diff",
                   .children = "/api/v1/items/{item}/children"};
  const Place stage{.attempts = "/api/v1/jobs/{job}/stages/{stage}/attempts",
                    .logs = "/api/v1/jobs/{job}/stages/{stage}/logs",
                    .why = "/api/v1/jobs/{job}/stages/{stage}/why",
                    .criteria = "/api/v1/jobs/{job}/stages/{stage}/criteria",
                    .diff = "/api/v1/jobs/{job}/stages/{stage}/diff",
                    .children = "/api/v1/jobs/{job}/stages/{stage}/children"};
  Field fan_out = stage_field("The stage that has fanned out.");
  fan_out.is_required = true;
  std::vector<Route> all = listing();
  for (std::vector<Route>& some :
       std::array{history_of<OfItem>(item,
                                     {"listAttempts", "listLogs", "explainItem", "showCriteria",
                                      "compareAttempts", "listChildren"},
                                     {stage_field("Only this stage."), child_field()}, {fan_out}),
                  history_of<OfStage>(
                      stage,
                      {"listJobStageAttempts", "listJobStageLogs", "explainJobStage",
                       "showJobStageCriteria", "compareJobStageAttempts", "listJobStageChildren"},
                      {child_field()}, {}),
                  acting()}) {
    std::ranges::move(some, std::back_inserter(all));
  }
  return all;
}

}  // namespace pawl::service
