#include "views/votes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "views/document_writer.hpp"
#include "views/outputs.hpp"

namespace pawl::views {
namespace {

bool is_counted_approval(const GivenAnswer& given) {
  const ReviewOutcome outcome = given.answer.outcome;
  return given.fate == AnswerFate::counts &&
         (outcome == ReviewOutcome::approve || outcome == ReviewOutcome::approve_with_edits);
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
  const bool has_other_eyes =
      std::ranges::any_of(votes.approvals, [&](const GivenAnswer& approval) {
        const std::string& by = approval.answer.reviewer;
        return by != submitted_by && by != votes.proposed->edited_by;
      });
  const bool is_enough = votes.approvals.size() >= votes.needed;
  votes.needs_other_eyes = is_enough && !rules.self_approval && !has_other_eyes;
  return votes;
}

Result<Votes> load_votes(Records& records, const Review& review, const ReviewRules& rules,
                         std::string_view submitted_by) {
  Result<std::vector<GivenAnswer>> answers = records.answers(review.id);
  if (!answers) return std::unexpected(std::move(answers.error()));
  return votes_of(rules, review, std::move(*answers), submitted_by);
}

std::string approvals_in_words(const Votes& votes) {
  return std::to_string(votes.approvals.size()) + " of " + std::to_string(votes.needed) +
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
