#include <vector>

#include "cli/commands.hpp"
#include "cli/review_view.hpp"
#include "cli/session.hpp"
#include "pawl/codec/documents.hpp"
#include "pawl/codec/names.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t page_size = 500;

std::string claim_of(const Review& review, const Times& times) {
  const bool holds = !review.claimed_by.empty() && review.claimed_until > times.now;
  return holds ? review.claimed_by + ", " + times.of(review.claimed_until) : std::string();
}

int show_changed(Session& session, Records& records, ReviewId id, const std::string& words) {
  const Result<ShownReview> shown = load_review(records, id);
  if (!shown) return session.fail(shown.error());
  if (session.globals().wants_json()) {
    const Json document = review_document(shown->review, shown->item_key(), shown->stage().name);
    session.print(Json::object({{"reviews", Json::array({document})}}));
  } else if (session.globals().quiet) {
    session.print(std::to_string(id.value()) + "\n");
  } else {
    session.print("review " + std::to_string(id.value()) + " " + words + "\n");
  }
  return exit_done;
}

}  // namespace

int review_list(Session& session, const ReviewListOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Times times = session.times();
  Table table({{"REVIEW", Table::Align::right},
               {"JOB", Table::Align::right},
               {"ITEM", Table::Align::left, 50},
               {"STAGE", Table::Align::left, 40},
               {"REASON"},
               {"ATTEMPT", Table::Align::right},
               {"ASKED"},
               {"CLAIMED"}});
  std::vector<Json> documents;
  ReviewFilter filter{.job = JobId{options.job.value_or(0)},
                      .status = from_name<ReviewStatus>(options.status),
                      .after = ReviewId{options.after},
                      .limit = page_size};
  std::uint32_t shown = 0;
  std::int64_t last = 0;
  bool is_cut = false;
  for (bool more = true; more && !is_cut;) {
    const Result<std::vector<Review>> page = records.reviews(filter);
    if (!page) return session.fail(page.error());
    more = page->size() == filter.limit;
    if (more) filter.after = page->back().id;
    for (const Review& review : *page) {
      const Result<bool> asked = is_asked(records, review);
      if (!asked) return session.fail(asked.error());
      if (review.status == ReviewStatus::open && !*asked) continue;
      if (options.limit > 0 && shown == options.limit) {
        is_cut = true;
        break;
      }
      ++shown;
      last = review.id.value();
      if (session.globals().quiet && !session.globals().wants_json()) {
        session.print(std::to_string(last) + "\n");
        continue;
      }
      const Result<Job> job = records.job(review.job);
      if (!job) return session.fail(job.error());
      const Result<Workflow> workflow = records.workflow(job->workflow_hash);
      if (!workflow) return session.fail(workflow.error());
      std::string key;
      if (review.item) {
        const Result<Item> item = records.item(review.item);
        if (!item) return session.fail(item.error());
        key = item->key;
      }
      const std::string& stage = workflow->stage(stage_of(review.task)).name;
      if (session.globals().jsonl) {
        session.print(review_document(review, key, stage));
      } else if (session.globals().json) {
        documents.push_back(review_document(review, key, stage));
      } else {
        table.add({std::to_string(last), std::to_string(review.job.value()), key, stage,
                   std::string(name_of(review.reason)), std::to_string(review.attempt),
                   times.of(review.opened_at), claim_of(review, times)});
      }
    }
  }
  if (session.globals().json && !session.globals().jsonl) {
    session.print(Json::object(
        {{"reviews", Json::array(documents)}, {"next", is_cut ? Json(last) : Json()}}));
  } else if (!session.globals().quiet && !session.globals().jsonl) {
    if (table.empty()) {
      session.say("nothing waits for people");
    } else {
      session.print(table.text(session.style()));
      session.say("decide: pawl review next");
    }
  }
  if (is_cut) session.say("there are more: --limit N, or --after " + std::to_string(last));
  return exit_done;
}

int review_show(Session& session, const ReviewShowOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<ShownReview> shown = load_review(records, ReviewId{options.review});
  if (!shown) return session.fail(shown.error());
  if (session.globals().wants_json()) {
    const Result<Json> document = shown_review_document(records, *shown);
    if (!document) return session.fail(document.error());
    session.print(Json::object({{"reviews", Json::array({*document})}}));
    return exit_done;
  }
  const std::string viewer = Session::person("").value_or("");
  session.print(review_screen(records, *shown, session.style(), session.times(), viewer, 0));
  return exit_done;
}

int review_claim(Session& session, const ReviewClaimOptions& options) {
  const Result<std::string> by = Session::person(options.as);
  if (!by) return session.fail(by.error());
  const Result<Duration> lasting = parse_duration(options.lasting);
  if (!lasting) return session.fail(lasting.error());
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const ReviewId id{options.review};
  const Result<Job> done =
      (*store)->act(ClaimReview{.review = id, .by = *by, .until = (*store)->now() + *lasting});
  if (!done) return session.fail(done.error());
  return show_changed(session, (*store)->records(), id,
                      "is claimed by " + *by + " for " + in_words(*lasting));
}

int review_release(Session& session, const ReviewClaimOptions& options) {
  const Result<std::string> by = Session::person(options.as);
  if (!by) return session.fail(by.error());
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const ReviewId id{options.review};
  const Result<Job> done = (*store)->act(ReleaseReview{.review = id, .by = *by});
  if (!done) return session.fail(done.error());
  return show_changed(session, (*store)->records(), id, "is free again");
}

}  // namespace pawl::cli
