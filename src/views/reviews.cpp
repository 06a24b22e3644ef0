#include "views/reviews.hpp"

#include <algorithm>
#include <utility>

#include "pawl/store/results.hpp"
#include "pawl/views/documents.hpp"
#include "pawl/workflow/action.hpp"
#include "views/attempts.hpp"
#include "views/criteria_document.hpp"
#include "views/outputs.hpp"

namespace pawl::views {

const StageDefinition& ShownReview::stage() const { return workflow.stage(stage_of(review.task)); }

const Attempt* ShownReview::find(AttemptNumber number) const {
  const auto found = std::ranges::find(attempts, number, &Attempt::number);
  return found == attempts.end() ? nullptr : &*found;
}

const Json& ShownReview::content() const {
  if (!approved) return output;
  return approved->edits ? *approved->edits : approved_output;
}

std::string ShownReview::task_name() const {
  return task.child ? stage().name + "[" + task.child->key + "]" : stage().name;
}

Json ShownReview::show() const {
  const ReviewRules& rules = stage().review_rules;
  if (!rules.show_main.empty() || !rules.show_beside.empty()) {
    std::vector<Json> beside;
    for (const std::string& name : rules.show_beside) beside.emplace_back(name);
    return Json::object({{"main", rules.show_main.empty() ? Json() : Json(rules.show_main)},
                         {"beside", Json::array(beside)}});
  }
  const Result<ActionSpec> action = action_from(stage().params);
  return action ? action->show : Json();
}

Result<bool> is_asked(Records& records, const Review& review) {
  if (review.status != ReviewStatus::open) return false;
  const Result<Job> job = records.job(review.job);
  if (!job) return std::unexpected(job.error());
  return !job->cancelled && is_trusted(job->trust);
}

Result<ShownReview> load_review(Records& records, ReviewId id, Timestamp now) {
  Result<Review> review = records.review(id);
  if (!review) return std::unexpected(std::move(review.error()));
  Result<Job> job = records.job(review->job);
  if (!job) return std::unexpected(std::move(job.error()));
  Result<Workflow> workflow = records.workflow(job->workflow_hash);
  if (!workflow) return std::unexpected(std::move(workflow.error()));
  Result<Task> task = records.task(review->task);
  if (!task) return std::unexpected(std::move(task.error()));
  ShownReview shown{.review = std::move(*review),
                    .job = std::move(*job),
                    .workflow = std::move(*workflow),
                    .item = std::nullopt,
                    .task = std::move(*task),
                    .attempts = {},
                    .votes = {},
                    .read_at = now,
                    .output = {}};
  if (shown.review.item) {
    Result<Item> item = records.item(shown.review.item);
    if (!item) return std::unexpected(std::move(item.error()));
    shown.item = std::move(*item);
  }
  Result<std::vector<Attempt>> attempts = records.attempts(shown.review.task);
  if (!attempts) return std::unexpected(std::move(attempts.error()));
  shown.attempts = std::move(*attempts);
  Result<Votes> votes =
      load_votes(records, shown.review, shown.stage().review_rules, shown.job.submitted_by);
  if (!votes) return std::unexpected(std::move(votes.error()));
  shown.votes = std::move(*votes);
  if (shown.find(shown.review.attempt) != nullptr) {
    Result<Json> output = output_of_attempt(records, shown, shown.review.attempt);
    if (!output) return std::unexpected(std::move(output.error()));
    shown.output = std::move(*output);
  }
  shown.approved = content_of(shown.review, shown.votes);
  if (shown.approved && shown.find(shown.approved->attempt) != nullptr) {
    Result<Json> output = output_of_attempt(records, shown, shown.approved->attempt);
    if (!output) return std::unexpected(std::move(output.error()));
    shown.approved_output = std::move(*output);
  }
  return shown;
}

Result<Json> output_of_attempt(Records& records, const ShownReview& shown, AttemptNumber number) {
  const Attempt* const attempt = shown.find(number);
  if (attempt == nullptr) {
    return pawl::fail(ErrorCode::not_found, "review " + std::to_string(shown.review.id.value()) +
                                                " has no attempt " + std::to_string(number));
  }
  return whole_output(records, attempt->output);
}

Json short_review_document(const ShownReview& shown) {
  return with_votes(
      review_document(shown.review, shown.item_key(), shown.stage().name, shown.child()),
      shown.review, shown.votes, shown.read_at);
}

Result<Json> shown_review_document(Records& records, const ShownReview& shown) {
  Json document = short_review_document(shown);
  std::vector<Json> attempts;
  for (const Attempt& attempt : shown.attempts) {
    Result<Json> whole = whole_attempt_document(records, attempt, shown.stage());
    if (!whole) return std::unexpected(std::move(whole.error()));
    attempts.push_back(std::move(*whole));
  }
  document = with_member(document, "show", shown.show());
  std::vector<Json> reasons;
  for (const std::string& reason : shown.stage().review_rules.reasons) reasons.emplace_back(reason);
  document = with_member(document, "reasons", Json::array(reasons));
  document = with_member(document, "in", with_paths(records, shown.in));
  document = with_member(document, "output", with_paths(records, shown.output));
  document = with_member(document, "data", shown.item ? shown.item->data : Json());
  document = with_member(document, "criteria",
                         criteria_document(records, {shown.task, shown.stage().name,
                                                     shown.stage().handler, shown.attempts}));
  return with_member(document, "attempts", Json::array(attempts));
}

}  // namespace pawl::views
