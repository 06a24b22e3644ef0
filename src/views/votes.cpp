#include "views/votes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "views/document_writer.hpp"
#include "views/outputs.hpp"

namespace pawl::views {
namespace {

std::string editor_of(const Review& review, const Votes& votes, const Answer& answer) {
  return content_of(review, votes.answers, answer).edited_by;
}

/// " of attempt 1" unless it is the attempt under review.
std::string other_attempt(const Review& review, const Answer& answer, std::string_view before) {
  const AttemptNumber attempt = approved_attempt(review, answer);
  if (attempt == review.attempt) return {};
  return std::string(before) + "attempt " + std::to_string(attempt);
}

Json approvals_document(const Votes& votes) {
  std::string out;
  {
    codec::ObjectWriter object(out);
    object.write("needed", votes.needed);
    std::string& given = object.member("given");
    given += '[';
    for (const GivenAnswer& one : votes.approvals) {
      if (&one != &votes.approvals.front()) given += ',';
      codec::ObjectWriter approval(given);
      approval.write("by", one.answer.reviewer);
      write_time(approval, "at", one.given_at);
    }
    given += ']';
    object.write("needs_other_eyes", votes.needs_other_eyes);
  }
  return Json::trusted(std::move(out));
}

Json proposed_document(const std::optional<ApprovedContent>& proposed) {
  if (!proposed) return {};
  std::string out;
  {
    codec::ObjectWriter object(out);
    object.write("attempt_number", proposed->attempt);
    object.write("edits", proposed->edits.value_or(Json{}));
    write_name(object, "edited_by", proposed->edited_by);
  }
  return Json::trusted(std::move(out));
}

Json answer_document(const GivenAnswer& given) {
  std::string out;
  {
    codec::ObjectWriter object(out);
    object.write("number", given.number);
    write_answer(object, given.answer);
    object.write("kind", given.by_kind);
    write_time(object, "given_at", given.given_at);
    object.write("fate", given.fate);
    write_time(object, "ended_at", given.ended_at);
  }
  return Json::trusted(std::move(out));
}

}  // namespace

std::uint32_t Votes::missing() const {
  const auto given = static_cast<std::uint32_t>(approvals.size());
  if (given < needed) return needed - given;
  return needs_other_eyes ? 1 : 0;
}

Votes votes_of(const ReviewRules& rules, const Review& review, std::vector<GivenAnswer> answers,
               std::string_view submitted_by) {
  Votes votes{.answers = std::move(answers),
              .approvals = {},
              .needed = rules.approvals,
              .proposed = std::nullopt};
  std::ranges::copy_if(votes.answers, std::back_inserter(votes.approvals), is_counted_approval);
  votes.proposed = proposed_content(review, votes.answers);
  std::vector<std::string> people;
  for (const GivenAnswer& approval : votes.approvals) people.push_back(approval.answer.reviewer);
  const bool is_enough = votes.proposed && people.size() >= votes.needed;
  votes.needs_other_eyes =
      is_enough && needs_other_eyes(rules, people, submitted_by, editors_of(review, votes.answers));
  return votes;
}

Result<Votes> load_votes(Records& records, const Review& review, const ReviewRules& rules,
                         std::string_view submitted_by) {
  Result<std::vector<GivenAnswer>> answers = records.answers(review.id);
  if (!answers) return std::unexpected(std::move(answers.error()));
  return votes_of(rules, review, std::move(*answers), submitted_by);
}

std::optional<ApprovedContent> content_of(const Review& review, const Votes& votes) {
  const bool is_decided = review.answer && review.status != ReviewStatus::open;
  if (!is_decided) return votes.proposed;
  const Answer& answer = *review.answer;
  if (!is_approval(answer)) return std::nullopt;
  return content_of(review, votes.answers, answer);
}

std::string answer_in_words(const Review& review, const Votes& votes, const Answer& answer) {
  switch (answer.outcome) {
    case ReviewOutcome::approve:
      return "approved" + other_attempt(review, answer, " ");
    case ReviewOutcome::approve_with_edits: {
      const std::string editor = editor_of(review, votes, answer);
      const std::string edits = editor == answer.reviewer ? "with edits" : editor + "'s edits";
      return "approved " + edits + other_attempt(review, answer, " of ");
    }
    case ReviewOutcome::request_changes:
      return "requested changes";
    case ReviewOutcome::reject:
      return "rejected";
  }
  return {};
}

std::string outcome_in_words(const Review& review, const Votes& votes, const Answer& answer) {
  if (answer.outcome != ReviewOutcome::approve_with_edits) {
    return answer_in_words(review, votes, answer);
  }
  const std::string editor = editor_of(review, votes, answer);
  const std::string edits = editor == answer.reviewer ? "edits" : editor + "'s edits";
  return "approved, with " + edits + other_attempt(review, answer, " of ");
}

std::string why_void(const Review& review, const Votes& votes, const GivenAnswer& given) {
  const auto cause = std::ranges::find_if(votes.answers, [&](const GivenAnswer& later) {
    return later.number > given.number && later.given_at == given.ended_at &&
           is_approval(later.answer);
  });
  if (cause == votes.answers.end()) return "the review has changed";
  const std::string& by = cause->answer.reviewer;
  const bool is_edit = cause->answer.edits && editor_of(review, votes, cause->answer) == by;
  return by + (is_edit ? " changed the output" : " approved other content");
}

std::string approvals_in_words(const Votes& votes) {
  const std::size_t given = votes.approvals.size();
  if (given > votes.needed) return std::to_string(given) + " approvals";
  return std::to_string(given) + " of " + std::to_string(votes.needed) +
         (votes.needed == 1 ? " approval" : " approvals");
}

std::string missing_in_words(const Votes& votes) {
  if (votes.missing() == 0) return {};
  if (votes.needs_other_eyes) return "somebody who neither submitted the job nor made the edits";
  return votes.missing() == 1 ? "one more" : std::to_string(votes.missing()) + " more";
}

bool is_overdue(const Review& review, Timestamp now) {
  return review.status == ReviewStatus::open && review.due_at != no_time && review.due_at <= now;
}

Json with_votes(const Json& document, const Review& review, const Votes& votes, Timestamp now) {
  std::vector<Json> answers;
  for (const GivenAnswer& given : votes.answers) answers.push_back(answer_document(given));
  Json whole = with_member(document, "overdue", is_overdue(review, now));
  whole = with_member(whole, "approvals", approvals_document(votes));
  whole = with_member(whole, "proposed", proposed_document(votes.proposed));
  return with_member(whole, "answers", Json::array(answers));
}

}  // namespace pawl::views
