#include <functional>
#include <set>
#include <vector>

#include "cli/address.hpp"
#include "cli/commands.hpp"
#include "cli/many.hpp"
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

/// Applies the operation to each named review.
int change_each(Session& session, const ReviewClaimOptions& options, const std::string& words,
                const std::function<Act(const Store&, ReviewId, const std::string&)>& act) {
  const Result<std::vector<std::string>> reviews = read_numbers(session, options.reviews, "review");
  if (!reviews) return session.fail(reviews.error());
  const Result<std::string> by = Session::person(options.as);
  if (!by) return session.fail(by.error());
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  return do_each(
      session, *reviews,
      [&](const std::string& id) -> Result<Done> {
        const ReviewId review{number_of(id)};
        const Result<Job> done = (*store)->act(act(**store, review, *by));
        if (!done) return std::unexpected(done.error());
        const Result<ShownReview> shown = load_review((*store)->records(), review);
        if (!shown) return std::unexpected(shown.error());
        return Done{
            .document = review_document(shown->review, shown->item_key(), shown->stage().name),
            .words = "review " + id + " " + words};
      },
      "reviews");
}

}  // namespace

int review_list(Session& session, const ReviewListOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  if (const Status there = require_job(records, options.job); !there) {
    return session.fail(there.error());
  }
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
  std::set<JobId> untrusted;
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
      if (review.status == ReviewStatus::open && !*asked) {
        const Result<Job> job = records.job(review.job);
        if (job && job->trust == Trust::untrusted) untrusted.insert(job->id);
        continue;
      }
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
        table.add({std::to_string(last), std::to_string(review.job.value()), id_part(key), stage,
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
      session.say("no matching reviews");
    } else {
      session.print(table.text(session.style()));
      session.say("decide: pawl review next");
    }
  }
  for (const JobId job : untrusted) {
    session.say("reviews of job " + std::to_string(job.value()) +
                " are not listed: it was imported and is not trusted; accept it: pawl job trust " +
                std::to_string(job.value()));
  }
  if (is_cut)
    session.say("there are more: pass --limit 0 for all, or --after " + std::to_string(last));
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
  const Result<Duration> lasting = parse_duration(options.lasting);
  if (!lasting) return session.fail(lasting.error());
  if (*lasting <= Duration::zero()) {
    return session.fail_usage(
        "--for must be longer than 0s, not '" + printable(options.lasting) + "'",
        "pass a duration such as --for 10m; to release a claim: "
        "pawl review release REVIEW");
  }
  const Result<std::string> by = Session::person(options.as);
  if (!by) return session.fail(by.error());
  return change_each(
      session, options, "is claimed by " + printable(*by) + " for " + in_words(*lasting),
      [&](const Store& store, ReviewId review, const std::string& person) {
        return ClaimReview{.review = review, .by = person, .until = store.now() + *lasting};
      });
}

int review_release(Session& session, const ReviewClaimOptions& options) {
  return change_each(session, options, "is released",
                     [](const Store&, ReviewId review, const std::string& person) {
                       return ReleaseReview{.review = review, .by = person};
                     });
}

}  // namespace pawl::cli
