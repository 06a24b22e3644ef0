#include "cli/output/review_head.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/joined.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t page_size = 500;

/// "just now" or "5m ago".
std::string time_in_words(const Times& times, Timestamp time) {
  const std::string text = times.of(time);
  return text == "now" ? "just now" : text;
}

/// A note as the end of a line, or as lines of its own if it has several.
std::string note_text(const std::string& note) {
  if (note.empty()) return "\n";
  if (!note.contains('\n')) return ", \"" + printable(note) + "\"\n";
  std::string out = "\n";
  std::istringstream lines(note);
  for (std::string line; std::getline(lines, line);) out += "  " + printable(line) + "\n";
  return out;
}

/// "anna approved bert's edits, 5m ago", or what became of a review without an answer.
std::string decision_text(const ShownReview& shown, const Times& times) {
  const Review& review = shown.review;
  if (review.status == ReviewStatus::superseded) {
    return "closed " + times.of(review.closed_at) + ": superseded by later work\n";
  }
  if (!review.answer) return {};
  std::string out;
  if (review.answer->reviewer == overdue_name) {
    out = "rejected because nobody decided it in time";
  } else {
    out = "answered by " + printable(review.answer->reviewer) + ": " +
          printable(views::outcome_in_words(review, shown.votes, *review.answer));
  }
  if (review.closed_at != no_time) out += ", " + time_in_words(times, review.closed_at);
  return out + note_text(review.answer->note);
}

/// Who may answer, and by when; empty if anybody may at any time.
std::string assignment_text(const Review& review, const Style& style, const Times& times) {
  std::string out;
  if (!review.assigned.empty()) {
    out += "assigned to: " + printable(joined(review.assigned, ", ")) + "\n";
  }
  if (review.due_at == no_time) return out;
  const std::string due = "due " + times.of(review.due_at);
  const bool is_late = views::is_overdue(review, times.now);
  return out + (is_late ? style.paint(Paint::red, "overdue: it was " + due) : due) + "\n";
}

/// Who handed the open review over last, with the note; empty without a note. The events of an item
/// are few. Those of a job may be many, so a job-wide stage has no such line.
std::string handover_text(Records& records, const ShownReview& shown) {
  const Review& review = shown.review;
  if (review.status != ReviewStatus::open || !review.item || review.assigned.empty()) return {};
  std::optional<Event> last;
  const EventFilter filter{.job = review.job, .item = review.item, .limit = page_size};
  const Status read = each_row(records, filter, [&](const Event& event) {
    const bool is_meant = event.type == EventType::review_assigned && event.task == review.task &&
                          event.at >= review.opened_at;
    if (is_meant) last = event;
  });
  if (!read || !last || last->by.empty()) return {};
  // The text is the assignees and the note. No assignee has a space in its name.
  const std::size_t note = last->text.find(": ");
  if (note == std::string::npos) return {};
  return "handed over by " + printable(last->by) + ": \"" + printable(last->text.substr(note + 2)) +
         "\"\n";
}

/// What is missing for a decision; empty if nothing is.
std::string missing_text(const ShownReview& shown) {
  const views::Votes& votes = shown.votes;
  if (shown.review.status != ReviewStatus::open || votes.missing() == 0) return {};
  const std::string& submitter = shown.job.submitted_by;
  const bool is_about_submitter =
      !shown.stage().review_rules.self_approval && votes.approvals.empty() && !submitter.empty();
  if (!is_about_submitter) return "; waits for " + views::missing_in_words(votes);
  return std::string(votes.needed == 1 ? "; it" : "; at least one") +
         " must come from somebody other than " + printable(submitter) + ", who submitted the job";
}

/// "1 of 2 approvals (ann); waits for one more"; empty if one person decides alone.
std::string approvals_text(const ShownReview& shown) {
  const views::Votes& votes = shown.votes;
  if (votes.needed == 1 && shown.stage().review_rules.self_approval) return {};
  std::vector<std::string> people;
  for (const GivenAnswer& approval : votes.approvals) people.push_back(approval.answer.reviewer);
  std::string out = views::approvals_in_words(votes);
  if (!people.empty()) out += " (" + printable(joined(people, ", ")) + ")";
  if (people.size() > votes.needed) {
    out += "; " + std::to_string(votes.needed) + (votes.needed == 1 ? " is" : " are") + " needed";
  }
  return out + missing_text(shown) + "\n";
}

/// What became of an answer: ", withdrawn" or ", no longer counts: bert changed the output".
std::string fate_text(const ShownReview& shown, const GivenAnswer& given) {
  switch (given.fate) {
    case AnswerFate::counts:
      return {};
    case AnswerFate::withdrawn:
      return ", withdrawn";
    case AnswerFate::voided:
      return ", no longer counts: " + printable(views::why_void(shown.review, shown.votes, given));
  }
  return {};
}

/// One line for each answer, the withdrawn and void ones too, unless the only one is the final one.
std::string earlier_answers_text(const ShownReview& shown, const Times& times) {
  const std::vector<GivenAnswer>& answers = shown.votes.answers;
  const bool is_final_only = answers.size() == 1 && shown.review.status == ReviewStatus::closed &&
                             answers.front().fate == AnswerFate::counts;
  if (answers.empty() || is_final_only) return {};
  std::string out = "answers:\n";
  for (const GivenAnswer& given : answers) {
    const std::string did = views::answer_in_words(shown.review, shown.votes, given.answer);
    out += "  " + printable(given.answer.reviewer + " " + did) + " (" +
           time_in_words(times, given.given_at) + ")" + fate_text(shown, given);
    if (!given.answer.note.empty()) out += ", \"" + printable(given.answer.note) + "\"";
    out += "\n";
  }
  return out;
}

}  // namespace

std::string claim_in_words(const Review& review, const Times& times, const std::string& viewer) {
  const bool is_claimed = review.status == ReviewStatus::open && !review.claimed_by.empty() &&
                          review.claimed_until > times.now;
  if (!is_claimed) return {};
  const std::string who = review.claimed_by == viewer ? "you" : printable(review.claimed_by);
  const Duration left = review.claimed_until - times.now;
  return "claimed by " + who + " for " + in_words(std::chrono::ceil<std::chrono::minutes>(left));
}

std::string people_text(Records& records, const ShownReview& shown, const Style& style,
                        const Times& times) {
  return decision_text(shown, times) + assignment_text(shown.review, style, times) +
         handover_text(records, shown) + approvals_text(shown) + earlier_answers_text(shown, times);
}

std::string voided_in_words(const views::Votes& before, const views::Votes& after) {
  std::string people;
  std::size_t count = 0;
  for (const GivenAnswer& given : before.approvals) {
    const bool is_void = std::ranges::any_of(after.answers, [&](const GivenAnswer& now) {
      return now.number == given.number && now.fate == AnswerFate::voided;
    });
    if (!is_void) continue;
    people += (people.empty() ? "" : ", ") + printable(given.answer.reviewer);
    ++count;
  }
  if (count == 0) return {};
  return count == 1 ? "the approval of " + people + " no longer counts"
                    : "the approvals of " + people + " no longer count";
}

}  // namespace pawl::cli
