#include "service/api/operation_kinds.hpp"

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "service/api/letter_selection.hpp"
#include "service/api/record_lookup.hpp"
#include "service/work/bulk_acts.hpp"

namespace pawl::service {
namespace {

using Planned = PlannedOperation;

// Dead letters

Result<Planned> plan_letters(Call& call, LetterVerb verb, std::string note) {
  Result<DeadLetterSelection> selection = letters_selected_by(call.records(), call.body);
  if (!selection) return std::unexpected(std::move(selection.error()));
  std::optional<std::int64_t> expected;
  if (!selection->tasks.empty()) expected = static_cast<std::int64_t>(selection->tasks.size());
  return Planned{.work = work_on_letters(call.backend.engine, verb, std::move(*selection),
                                         std::move(note), call.actor()),
                 .expected = expected};
}

Result<Planned> plan_letter_retry(Call& call) {
  return plan_letters(call, &retry_dead_letters, call.body.text("note"));
}

Result<Planned> plan_letter_discard(Call& call) {
  const std::string reason = call.body.text("reason");
  if (reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::invalid, "dead letters are discarded for a reason", "send `reason`");
  }
  return plan_letters(call, &discard_dead_letters, reason);
}

Result<Planned> plan_letter_purge(Call& call) {
  return plan_letters(call, &purge_dead_letters, {});
}

// Items

/// Whether it is a stage that items go through; an empty name is none.
Status check_item_stage(const Workflow& workflow, const std::string& name) {
  const Result<std::optional<StageIndex>> stage = stage_named(workflow, name);
  if (!stage) return std::unexpected(stage.error());
  if (!*stage || workflow.stage(**stage).scope != Scope::all) return {};
  return fail(ErrorCode::invalid, "stage '" + name + "' runs once for the whole job",
              "name a stage of items");
}

Result<ItemSelection> items_selected_by(Call& call) {
  const Fields& body = call.body;
  if (!body.has("job")) return fail(ErrorCode::invalid, "missing member 'job'", "name the job");
  const bool selects = body.has("state") || body.has("stage") || body.has("category") ||
                       body.has("key_prefix") || body.flag("all");
  if (!selects) {
    return fail(ErrorCode::invalid, "no items are selected",
                "send `state`, `stage`, `category`, `key_prefix` or `all`");
  }
  const Result<Job> job = call.records().job(JobId{body.integer("job")});
  if (!job) return std::unexpected(job.error());
  const Result<PinnedJob> own = pinned(call.records(), *job);
  if (!own) return std::unexpected(own.error());
  ItemSelection selection{.filter = {.job = own->job.id,
                                     .state = from_name<ItemState>(body.text("state")),
                                     .category = body.text("category"),
                                     .key_prefix = body.text("key_prefix")},
                          .stage = std::nullopt};
  if (body.has("stage")) {
    Result<std::optional<StageIndex>> stage = stage_named(own->workflow, body.text("stage"));
    if (!stage) return std::unexpected(std::move(stage.error()));
    selection.stage = *stage;
  }
  for (const char* name : {"stage", "from"}) {
    if (const Status good = check_item_stage(own->workflow, body.text(name)); !good) {
      return std::unexpected(good.error());
    }
  }
  return selection;
}

Result<Planned> plan_item_retry(Call& call) {
  Result<ItemSelection> selection = items_selected_by(call);
  if (!selection) return std::unexpected(std::move(selection.error()));
  const std::string from = call.body.text("from");
  // Without a stage, only what has failed can run again.
  if (from.empty() && !selection->filter.state) selection->filter.state = ItemState::failed;
  return Planned{.work = work_on_items_to_retry(call.backend.engine, std::move(*selection), from,
                                                call.body.text("note"), call.actor())};
}

Result<Planned> plan_item_cancel(Call& call) {
  Result<ItemSelection> selection = items_selected_by(call);
  if (!selection) return std::unexpected(std::move(selection.error()));
  return Planned{
      .work = work_on_items_to_cancel(call.backend.engine, std::move(*selection), call.actor())};
}

// Reviews

/// A review of a list: {"review":18,"digest":"sha256:…"}.
Result<ListedReview> listed_review(const Json& value, bool needs_digest) {
  std::string names;
  for (const auto& [name, ignored] : members(value)) {
    const bool is_known = name == "review" || (needs_digest && name == "digest");
    if (!is_known) names += (names.empty() ? "'" : ", '") + name.substr(0, 40) + "'";
  }
  const std::int64_t number = JsonView(value)["review"].integer().value_or(0);
  const std::string digest = JsonView(value)["digest"].string().value_or("");
  if (!is_object(value) || !names.empty() || number <= 0 || (needs_digest && digest.empty())) {
    return fail(ErrorCode::invalid, value.text().substr(0, 80));
  }
  return ListedReview{.review = ReviewId{number}, .digest = digest};
}

/// The member `reviews`. `invalid` with everything in it that does not fit.
Result<std::vector<ListedReview>> reviews_listed(const Fields& body, bool needs_digest) {
  constexpr std::size_t reviews_max = 1'000;
  const std::string form =
      needs_digest ? R"(send [{"review":18,"digest":"sha256:…"}])" : R"(send [{"review":18}])";
  const std::optional<Json> list = body.json("reviews");
  if (!list) return fail(ErrorCode::invalid, "missing member 'reviews'", form);
  const std::vector<Json> all = elements(*list);
  if (!is_array(*list) || all.empty()) {
    return fail(ErrorCode::invalid, "member 'reviews' must be a list with at least one review",
                form);
  }
  if (all.size() > reviews_max) {
    return fail(ErrorCode::invalid, "member 'reviews' has more than 1000 elements",
                "send several operations");
  }
  std::vector<ListedReview> reviews;
  std::set<ReviewId> known;
  std::string wrong;
  constexpr std::size_t reported_max = 500;
  for (const Json& one : all) {
    const Result<ListedReview> review = listed_review(one, needs_digest);
    if (review) {
      if (known.insert(review->review).second) reviews.push_back(*review);
    } else if (wrong.size() < reported_max) {
      wrong += (wrong.empty() ? "" : ", ") + review.error().message;
    }
  }
  if (wrong.empty()) return reviews;
  return fail(ErrorCode::invalid, "member 'reviews' has elements of another form: " + wrong, form);
}

Result<Planned> plan_review_approve(Call& call) {
  Result<std::vector<ListedReview>> reviews = reviews_listed(call.body, true);
  if (!reviews) return std::unexpected(std::move(reviews.error()));
  const auto count = static_cast<std::int64_t>(reviews->size());
  return Planned{.work = work_on_reviews_to_approve(call.backend.engine, std::move(*reviews),
                                                    call.body.text("note"), call.actor()),
                 .expected = count};
}

Result<Planned> plan_review_claim(Call& call) {
  Result<std::vector<ListedReview>> reviews = reviews_listed(call.body, false);
  if (!reviews) return std::unexpected(std::move(reviews.error()));
  const auto count = static_cast<std::int64_t>(reviews->size());
  const std::chrono::seconds lasting(call.body.integer("for_s", 600));
  return Planned{.work = work_on_reviews_to_claim(call.backend.engine, std::move(*reviews), lasting,
                                                  call.body.flag("steal"), call.actor()),
                 .expected = count};
}

Result<Planned> plan_review_assign(Call& call) {
  Result<std::vector<ListedReview>> reviews = reviews_listed(call.body, false);
  if (!reviews) return std::unexpected(std::move(reviews.error()));
  if (!call.body.has("to")) {
    return fail(ErrorCode::invalid, "missing member 'to'",
                "name people and groups; an empty list is everybody");
  }
  const auto count = static_cast<std::int64_t>(reviews->size());
  return Planned{.work = work_on_reviews_to_assign(call.backend.engine, std::move(*reviews),
                                                   call.body.texts("to"), call.body.text("note"),
                                                   call.actor()),
                 .expected = count};
}

}  // namespace

const std::vector<OperationKind>& operation_kinds() {
  static const std::vector<OperationKind> all{
      {"dead_letters.retry",
       Right::operate,
       {"job", "stage", "filter", "ids", "all", "note"},
       plan_letter_retry},
      {"dead_letters.discard",
       Right::operate,
       {"job", "stage", "filter", "ids", "all", "reason"},
       plan_letter_discard},
      {"dead_letters.purge",
       Right::destroy,
       {"job", "stage", "filter", "ids", "all"},
       plan_letter_purge},
      {"items.retry",
       Right::operate,
       {"job", "state", "stage", "category", "key_prefix", "all", "from", "note"},
       plan_item_retry},
      {"items.cancel",
       Right::operate,
       {"job", "state", "stage", "category", "key_prefix", "all"},
       plan_item_cancel},
      {"reviews.approve", Right::decide, {"reviews", "note"}, plan_review_approve},
      {"reviews.claim", Right::decide, {"reviews", "for_s", "steal"}, plan_review_claim},
      {"reviews.assign", Right::decide, {"reviews", "to", "note"}, plan_review_assign}};
  return all;
}

}  // namespace pawl::service
