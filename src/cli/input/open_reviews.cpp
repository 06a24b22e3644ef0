#include "cli/input/open_reviews.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "pawl/store/each_row.hpp"
#include "pawl/store/people.hpp"
#include "views/votes.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t page_size = 100;

/// Whether somebody else is at the review.
bool is_taken(const Review& review, const std::string& person, Timestamp now) {
  return !review.claimed_by.empty() && review.claimed_by != person && review.claimed_until > now;
}

/// Judges reviews one after the other; keeps what it reads about their jobs.
class Selection {
 public:
  Selection(Records& records, const Reviewer& reviewer, Timestamp now)
      : records_(records), reviewer_(reviewer), now_(now) {}

  Result<bool> includes(const Review& review) {
    const bool is_free =
        review.status == ReviewStatus::open && !is_taken(review, reviewer_.name, now_);
    if (!is_free) return false;
    auto known = workflows_.find(review.job);
    if (known == workflows_.end()) {
      Result<std::optional<Workflow>> workflow = workflow_of(review.job);
      if (!workflow) return std::unexpected(workflow.error());
      known = workflows_.emplace(review.job, std::move(*workflow)).first;
    }
    if (!known->second) return false;
    return needs_answer(review, known->second->stage(stage_of(review.task)).review_rules);
  }

 private:
  /// The workflow of a job whose reviews need answers; none for a cancelled or untrusted job.
  Result<std::optional<Workflow>> workflow_of(JobId id) {
    const Result<Job> job = records_.job(id);
    if (!job) return std::unexpected(job.error());
    if (job->cancelled || !is_trusted(job->trust)) return std::optional<Workflow>();
    Result<Workflow> workflow = records_.workflow(job->workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());
    return std::optional(std::move(*workflow));
  }

  /// Whether the reviewer has not approved it already.
  Result<bool> needs_answer(const Review& review, const ReviewRules& rules) {
    if (rules.approvals == 1 && rules.self_approval) return true;
    const Result<views::Votes> votes = views::load_votes(records_, review, rules, {});
    if (!votes) return std::unexpected(votes.error());
    return std::ranges::none_of(votes->approvals, [&](const GivenAnswer& approval) {
      return approval.answer.reviewer == reviewer_.name;
    });
  }

  Records& records_;
  const Reviewer& reviewer_;
  Timestamp now_;
  std::map<JobId, std::optional<Workflow>> workflows_;
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

}  // namespace pawl::cli
