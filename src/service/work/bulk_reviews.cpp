#include <functional>
#include <utility>

#include "service/work/bulk_acts.hpp"
#include "views/review_reader.hpp"

namespace pawl::service {
namespace {

using views::ShownReview;

/// Acts on one review.
using ReviewAct = std::function<Status(const ListedReview& listed)>;

Status each_review(const std::vector<ListedReview>& reviews, OperationProgress& progress,
                   const ReviewAct& act) {
  for (const ListedReview& listed : reviews) {
    if (!progress.goes_on()) return {};
    if (const Status done = act(listed); done) {
      progress.did();
    } else {
      progress.refused(std::to_string(listed.review.value()), done.error());
    }
  }
  return {};
}

Status perform(Engine& engine, const Act& act, const Actor& by) {
  const Result<Job> done = engine.act(act, by);
  if (!done) return std::unexpected(done.error());
  return {};
}

/// `refused` unless the review may be approved without another look at it.
Status check_bulk(const ShownReview& shown, const std::string& digest, bool is_one_of_several) {
  const std::string name = "review " + std::to_string(shown.review.id.value());
  if (is_one_of_several && !shown.stage().review_rules.bulk) {
    return fail(ErrorCode::refused,
                name + ": reviews of stage '" + shown.stage().name +
                    "' are answered one at a time (bulk: false)",
                "look at it and answer it by itself");
  }
  // What the gates found belongs to the content that was seen. The ledger compares the digests
  // again when the answer is given.
  const bool is_as_seen =
      shown.review.status != ReviewStatus::open || shown.review.digest == digest;
  if (!is_as_seen) {
    return fail(ErrorCode::conflict, name + " is about other content than was shown",
                "look at it again and answer it by itself");
  }
  if (views::passed_all_gates(shown)) return {};
  return fail(ErrorCode::refused, name + ": its output has not passed all gates",
              "look at it and answer it by itself");
}

}  // namespace

OperationWork work_on_reviews_to_approve(Engine& engine, std::vector<ListedReview> reviews,
                                         std::string note, Actor by) {
  return [&engine, reviews = std::move(reviews), note = std::move(note),
          by = std::move(by)](OperationProgress& progress) {
    Records& records = engine.records();
    views::ReviewReader reader(records, engine.store().now());
    return each_review(reviews, progress, [&](const ListedReview& listed) -> Status {
      const Result<Review> review = records.review(listed.review);
      if (!review) return std::unexpected(review.error());
      const Result<ShownReview> shown = reader.read(*review);
      if (!shown) return std::unexpected(shown.error());
      if (Status good = check_bulk(*shown, listed.digest, reviews.size() > 1); !good) {
        return good;
      }
      const Answer answer{.outcome = ReviewOutcome::approve,
                          .reviewer = by.name,
                          .note = note,
                          .digest = listed.digest};
      return perform(engine, AnswerReview{.review = listed.review, .answer = answer}, by);
    });
  };
}

OperationWork work_on_reviews_to_claim(Engine& engine, std::vector<ListedReview> reviews,
                                       Duration lasting, bool steal, Actor by) {
  return [&engine, reviews = std::move(reviews), lasting, steal,
          by = std::move(by)](OperationProgress& progress) {
    return each_review(reviews, progress, [&](const ListedReview& listed) {
      return perform(engine,
                     ClaimReview{.review = listed.review,
                                 .by = by.name,
                                 .until = engine.store().now() + lasting,
                                 .steal = steal},
                     by);
    });
  };
}

OperationWork work_on_reviews_to_assign(Engine& engine, std::vector<ListedReview> reviews,
                                        std::vector<std::string> to, std::string note, Actor by) {
  return [&engine, reviews = std::move(reviews), to = std::move(to), note = std::move(note),
          by = std::move(by)](OperationProgress& progress) {
    return each_review(reviews, progress, [&](const ListedReview& listed) {
      return perform(
          engine, AssignReview{.review = listed.review, .to = to, .note = note, .by = by.name}, by);
    });
  };
}

}  // namespace pawl::service
