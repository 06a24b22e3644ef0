/// Claims, assignments and answers. The rules are in the ledger; here is only what a browser needs
/// beside them: what has changed if an answer comes too late, and that a button pressed twice is
/// one answer.

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/names.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/review_handlers.hpp"
#include "views/outputs.hpp"
#include "views/people_warnings.hpp"
#include "views/reviews.hpp"

namespace pawl::service {

using views::ShownReview;

namespace {

/// Carries the act out and answers with the review as it is then.
Result<Reply> act_on_review(Call& call, ReviewId id, const Act& act) {
  const Result<Job> done = call.backend.engine.act(act, call.actor());
  if (!done) return std::unexpected(done.error());
  Result<Json> document = review_as_it_is(call.store(), id);
  if (!document) return std::unexpected(std::move(document.error()));
  return Document{std::move(*document)};
}

Result<Answer> answer_in(Call& call) {
  const auto outcome = from_name<ReviewOutcome>(call.body.text("outcome"));
  require(outcome.has_value(), "the table of routes allows only outcomes");
  Answer answer{.outcome = *outcome,
                .reviewer = call.actor().name,
                .note = call.body.text("note"),
                .digest = call.body.text("digest")};
  if (answer.digest.empty()) {
    return fail(ErrorCode::invalid, "the digest is empty",
                "send the `digest` of the review that was shown");
  }
  if (call.body.has("attempt_number")) {
    answer.attempt = static_cast<AttemptNumber>(call.body.integer("attempt_number"));
  }
  if (const std::optional<Json> edits = call.body.json("edits"); edits && !edits->is_null()) {
    answer.edits = *edits;
  }
  if (const std::int64_t grace = call.body.integer("grace_s"); grace > 0) {
    answer.effective_at = call.store().now() + std::chrono::seconds(grace);
  }
  return answer;
}

/// Whether a plain approval, of whatever is proposed, can have come to this approval.
bool is_plain_approval(const Review& review, std::span<const GivenAnswer> given,
                       const GivenAnswer& recorded) {
  const Answer& old = recorded.answer;
  if (!is_approval(old)) return false;
  const AttemptNumber attempt = approved_attempt(review, old);
  if (!old.edits && attempt == review.attempt) return true;
  // Somebody else proposed this content before.
  return std::ranges::any_of(given, [&](const GivenAnswer& earlier) {
    return earlier.number < recorded.number && is_approval(earlier.answer) &&
           earlier.answer.edits == old.edits && approved_attempt(review, earlier.answer) == attempt;
  });
}

/// Whether the answer on record is this one, given again.
bool is_repeated(const Review& review, std::span<const GivenAnswer> given,
                 const GivenAnswer& recorded, const Answer& answer) {
  const Answer& old = recorded.answer;
  const bool is_same_person = old.reviewer == answer.reviewer &&
                              recorded.fate == AnswerFate::counts && old.digest == answer.digest;
  if (!is_same_person || old.note != answer.note) return false;
  const bool is_plain =
      answer.outcome == ReviewOutcome::approve && !answer.attempt && !answer.edits;
  if (is_plain) return is_plain_approval(review, given, recorded);
  if (old.outcome != answer.outcome || old.edits.has_value() != answer.edits.has_value()) {
    return false;
  }
  if (is_approval(answer) && approved_attempt(review, old) != approved_attempt(review, answer)) {
    return false;
  }
  return !old.edits || canonical(*old.edits) == canonical(*answer.edits);
}

bool is_on_record(const ShownReview& shown, const Answer& answer) {
  const std::vector<GivenAnswer>& given = shown.votes.answers;
  return std::ranges::any_of(given, [&](const GivenAnswer& recorded) {
    return is_repeated(shown.review, given, recorded, answer);
  });
}

/// What happened to an open review since it was shown: "ben changed the output".
std::string change_in_words(const ShownReview& now) {
  const std::optional<ApprovedContent>& proposed = now.votes.proposed;
  const bool was_answered = !now.votes.answers.empty();
  if (!proposed) return was_answered ? "an approval was taken back" : "its digest is another one";
  if (proposed->edits) return proposed->edited_by + " changed the output";
  const std::string& by = now.votes.approvals.back().answer.reviewer;
  return by + " approved attempt " + std::to_string(proposed->attempt);
}

/// The review that asks about the same task now; none if nothing is asked any more.
Result<std::optional<ShownReview>> newer_review(Store& store, const Review& superseded) {
  const ReviewFilter open{
      .task = superseded.task, .status = ReviewStatus::open, .after = superseded.id, .limit = 1};
  const Result<std::vector<Review>> found = store.records().reviews(open);
  if (!found) return std::unexpected(found.error());
  if (found->empty()) return std::optional<ShownReview>();
  Result<ShownReview> newer = views::load_review(store.records(), found->front().id, store.now());
  if (!newer) return std::unexpected(std::move(newer.error()));
  return std::optional(std::move(*newer));
}

Json changed_document(const ShownReview& now, bool is_same_content) {
  const Review& review = now.review;
  const bool is_open = review.status == ReviewStatus::open;
  const std::string answered_by =
      review.answer && review.status != ReviewStatus::superseded ? review.answer->reviewer : "";
  return Json::object(
      {{"review", review.id.value()},
       {"status", name_of(review.status)},
       {"digest", is_open ? Json(review.digest) : Json()},
       {"same_content", is_same_content},
       {"attempt_number", review.attempt},
       {"answered_by", answered_by.empty() ? Json() : Json(answered_by)},
       {"outcome", answered_by.empty() ? Json() : Json(name_of(review.answer->outcome))}});
}

/// 409, with what is to be looked at instead.
Reply changed_response(const Error& error, const Json& changed) {
  return json_response(status_of(ErrorCode::conflict),
                       views::with_member(failure_document(error), "changed", changed));
}

Result<Reply> superseded_response(Store& store, const ShownReview& old, const Answer& answer,
                                  const Error& error) {
  const Result<std::optional<ShownReview>> newer = newer_review(store, old.review);
  if (!newer) return std::unexpected(newer.error());
  if (!*newer) return changed_response(error, changed_document(old, false));
  const std::string number = std::to_string((*newer)->review.id.value());
  // Only whoever saw the old review as it was can have seen the same.
  const bool is_same = answer.digest == old.review.digest &&
                       canonical(old.content()) == canonical((*newer)->content());
  const std::string name = "review " + std::to_string(old.review.id.value());
  const Error changed{ErrorCode::conflict,
                      name + " was superseded: the work has moved on" +
                          (is_same ? ", but its output is the same" : ""),
                      is_same ? "give the same answer to review " + number + ", with its digest"
                              : "look at what it came to: review " + number};
  return changed_response(changed, changed_document(**newer, is_same));
}

/// The answer was refused: because it is on record already, or because the review is not what the
/// person saw.
Result<Reply> refused_answer(Call& call, ReviewId id, const Answer& answer, const Error& error) {
  if (error.code != ErrorCode::conflict) return std::unexpected(error);
  Store& store = call.store();
  const Result<ShownReview> now = views::load_review(store.records(), id, store.now());
  if (!now) return std::unexpected(now.error());
  if (is_on_record(*now, answer)) {
    Result<Json> document = review_as_it_is(store, id);
    if (!document) return std::unexpected(std::move(document.error()));
    return Document{std::move(*document)};
  }
  switch (now->review.status) {
    case ReviewStatus::superseded:
      return superseded_response(store, *now, answer, error);
    case ReviewStatus::answered:
    case ReviewStatus::closed:
      return changed_response(error, changed_document(*now, false));
    case ReviewStatus::open:
      break;
  }
  // It is claimed, or this person has approved it before.
  if (now->review.digest == answer.digest) return std::unexpected(error);
  const Error changed{ErrorCode::conflict,
                      "review " + std::to_string(id.value()) +
                          " changed while you were reading: " + change_in_words(*now),
                      "look at it again, and answer with its new digest"};
  return changed_response(changed, changed_document(*now, false));
}

}  // namespace

Result<Reply> answer_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  const Result<Answer> answer = answer_in(call);
  if (!answer) return std::unexpected(answer.error());
  if (answer->edits) {
    const Result<Review> review = call.records().review(*id);
    if (!review) return std::unexpected(review.error());
    if (const Status own = check_files_in(call.backend, *review, *answer->edits); !own) {
      return std::unexpected(own.error());
    }
  }
  const Result<Job> done =
      call.backend.engine.act(AnswerReview{.review = *id, .answer = *answer}, call.actor());
  if (!done) return refused_answer(call, *id, *answer, done.error());
  Result<Json> document = review_as_it_is(call.store(), *id);
  if (!document) return std::unexpected(std::move(document.error()));
  return Document{std::move(*document)};
}

Result<Reply> undo_answer(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  return act_on_review(call, *id, UndoAnswer{.review = *id, .by = call.actor().name});
}

Result<Reply> claim_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  const std::chrono::seconds lasting(call.body.integer("for_s", 600));
  return act_on_review(call, *id,
                       ClaimReview{.review = *id,
                                   .by = call.actor().name,
                                   .until = call.store().now() + lasting,
                                   .steal = call.body.flag("steal")});
}

Result<Reply> release_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  return act_on_review(call, *id, ReleaseReview{.review = *id, .by = call.actor().name});
}

Result<Reply> assign_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  const std::vector<std::string> to = call.body.texts("to");
  Result<Reply> reply = act_on_review(
      call, *id,
      AssignReview{
          .review = *id, .to = to, .note = call.body.text("note"), .by = call.actor().name});
  if (!reply) return reply;
  const auto warnings = views::assignee_warnings(call.store(), to, Actor{});
  if (!warnings) return std::unexpected(warnings.error());
  const std::vector<Json> texts(warnings->begin(), warnings->end());
  Json& document = std::get<Document>(*reply).json;
  document = views::with_member(document, "warnings", Json::array(texts));
  return reply;
}

}  // namespace pawl::service
