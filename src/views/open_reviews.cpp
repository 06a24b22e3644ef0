#include "views/open_reviews.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "pawl/store/each_row.hpp"
#include "pawl/store/people.hpp"
#include "views/review_reader.hpp"

namespace pawl::views {
namespace {

constexpr std::uint32_t page_size = 100;

/// Judges reviews one after the other.
class Selection {
 public:
  Selection(Records& records, const Reviewer& reviewer, Timestamp now)
      : records_(records), reader_(records, now), reviewer_(reviewer), now_(now) {}

  Result<bool> includes(const Review& review) {
    const bool is_free =
        review.status == ReviewStatus::open && !is_claimed_by_other(review, reviewer_.name, now_);
    if (!is_free) return false;
    const Result<const ReviewReader::Asker*> asker = reader_.asker_of(review);
    if (!asker) return std::unexpected(asker.error());
    if (!(*asker)->asks()) return false;
    return needs_answer(review, (*asker)->stage(review).review_rules);
  }

 private:
  /// Whether the reviewer has not approved it already.
  Result<bool> needs_answer(const Review& review, const ReviewRules& rules) {
    if (rules.approvals == 1 && rules.self_approval) return true;
    const Result<Votes> votes = load_votes(records_, review, rules, {});
    if (!votes) return std::unexpected(votes.error());
    return std::ranges::none_of(votes->approvals, [&](const GivenAnswer& approval) {
      return approval.answer.reviewer == reviewer_.name;
    });
  }

  Records& records_;
  ReviewReader reader_;
  const Reviewer& reviewer_;
  Timestamp now_;
};

/// Calls `see` with each such review until it returns false.
Status each_open_review(Records& records, JobId job, const ReviewPlace& after,
                        const Reviewer& reviewer, Timestamp now,
                        const std::function<bool(const Review&)>& see) {
  Selection selection(records, reviewer, now);
  const InboxFilter inbox{.assigned_to = reviewer.addresses(),
                          .open_to_all = true,
                          .job = job,
                          .after_due = after.due_at,
                          .after = after.review,
                          .limit = page_size};
  return each_row(records, inbox, [&](const Review& review) -> Result<bool> {
    const Result<bool> is_included = selection.includes(review);
    if (!is_included) return is_included;
    return !*is_included || see(review);
  });
}

}  // namespace

std::vector<std::string> Reviewer::addresses() const {
  std::vector<std::string> all{name};
  for (const std::string& group : groups) all.push_back(std::string(group_prefix) + group);
  return all;
}

Result<Reviewer> reviewer_of(Store& store, const Actor& actor) {
  Result<Standing> standing = store.people().standing(actor);
  if (!standing) return std::unexpected(standing.error());
  return Reviewer{.name = actor.name, .groups = std::move(standing->groups)};
}

Result<std::optional<Review>> next_open_review(Records& records, JobId job,
                                               const ReviewPlace& after, const Reviewer& reviewer,
                                               Timestamp now) {
  std::optional<Review> next;
  const Status read =
      each_open_review(records, job, after, reviewer, now, [&](const Review& review) {
        next = review;
        return false;
      });
  if (!read) return std::unexpected(read.error());
  return next;
}

Result<std::int64_t> count_open_reviews(Records& records, JobId job, const ReviewPlace& after,
                                        const Reviewer& reviewer, Timestamp now) {
  std::int64_t count = 0;
  const Status read = each_open_review(records, job, after, reviewer, now, [&](const Review&) {
    return ++count < counted_reviews_max;
  });
  if (!read) return std::unexpected(read.error());
  return count;
}

}  // namespace pawl::views
