#include "views/review_reader.hpp"

#include <utility>

namespace pawl::views {

Result<const ReviewReader::Asker*> ReviewReader::asker_of(const Review& review) {
  if (const Asker* const known = askers_.find(review.job)) return known;
  Result<Job> job = records_.job(review.job);
  if (!job) return std::unexpected(std::move(job.error()));
  Result<Workflow> workflow = records_.workflow(job->workflow_hash);
  if (!workflow) return std::unexpected(std::move(workflow.error()));
  return &askers_.add(review.job, {.job = std::move(*job), .workflow = std::move(*workflow)});
}

Result<bool> ReviewReader::is_asked(const Review& review) {
  if (review.status != ReviewStatus::open) return false;
  const Result<const Asker*> asker = asker_of(review);
  if (!asker) return std::unexpected(asker.error());
  return (*asker)->asks();
}

Result<ShownReview> ReviewReader::read(const Review& review) {
  Result<Task> task = records_.task(review.task);
  if (!task) return std::unexpected(std::move(task.error()));
  Result<std::vector<Attempt>> attempts = records_.attempts(review.task);
  if (!attempts) return std::unexpected(std::move(attempts.error()));
  const Result<const Asker*> asker = asker_of(review);
  if (!asker) return std::unexpected(asker.error());
  ShownReview shown{.review = review,
                    .job = (*asker)->job,
                    .workflow = (*asker)->workflow,
                    .item = std::nullopt,
                    .task = std::move(*task),
                    .attempts = std::move(*attempts),
                    .votes = {},
                    .read_at = now_,
                    .output = {}};
  if (review.item) {
    Result<Item> item = records_.item(review.item);
    if (!item) return std::unexpected(std::move(item.error()));
    shown.item = std::move(*item);
  }
  Result<Votes> votes =
      load_votes(records_, review, shown.stage().review_rules, shown.job.submitted_by);
  if (!votes) return std::unexpected(std::move(votes.error()));
  shown.votes = std::move(*votes);
  shown.approved = content_of(shown.review, shown.votes);
  return shown;
}

}  // namespace pawl::views
