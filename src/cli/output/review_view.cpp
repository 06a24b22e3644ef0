#include "cli/output/review_view.hpp"

#include <algorithm>

#include "cli/output/attempts_view.hpp"
#include "cli/output/file_outputs.hpp"
#include "cli/output/job_view.hpp"
#include "cli/output/line_diff.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/decide.hpp"
#include "pawl/workflow/action.hpp"
#include "views/address.hpp"

namespace pawl::cli {
namespace {

constexpr std::size_t data_lines_max = 12;

/// Lines below a heading, cut if there are too many.
std::string indented(const std::vector<std::string>& lines, std::size_t most,
                     const std::string& rest_is_shown_by) {
  std::string out;
  const std::size_t shown = most == 0 ? lines.size() : std::min(lines.size(), most);
  for (std::size_t i = 0; i < shown; ++i) out += "  " + printable(lines[i]) + "\n";
  if (shown < lines.size()) {
    out += "  … " + counted(static_cast<std::int64_t>(lines.size() - shown), "more line") + ": " +
           rest_is_shown_by + "\n";
  }
  return out;
}

/// "1 (0/4)  3 (3/4)": each attempt with the number of criteria that it passed.
std::string attempts_line(const std::vector<Attempt>& attempts) {
  std::string out = "attempts:";
  for (const Attempt& attempt : attempts) {
    out += " " + std::to_string(attempt.number);
    const std::string met = criteria_met(attempt);
    out += " (" + (met.empty() ? std::string(name_of(attempt.result)) : met) + ")";
  }
  return out + "\n";
}

std::string claim_in_words(const Review& review, const Times& times, const std::string& viewer) {
  if (review.claimed_by.empty() || review.claimed_until <= times.now) return {};
  const std::string who = review.claimed_by == viewer ? "you" : printable(review.claimed_by);
  const Duration left = review.claimed_until - times.now;
  return "  claimed by " + who + " for " + in_words(std::chrono::ceil<std::chrono::minutes>(left));
}

std::string answer_in_words(const Review& review, const Times& times) {
  if (review.status == ReviewStatus::superseded) {
    return "closed " + times.of(review.closed_at) + ": superseded by later work\n";
  }
  if (!review.answer) return {};
  std::string out = "answered by " + printable(review.answer->reviewer) + ": " +
                    std::string(name_of(review.answer->outcome));
  if (review.closed_at != no_time) out += ", " + times.of(review.closed_at);
  if (!review.answer->note.empty()) out += ", \"" + printable(review.answer->note) + "\"";
  return out + "\n";
}

}  // namespace

std::string review_screen(Records& records, const ShownReview& shown, const Style& style,
                          const Times& times, const std::string& viewer,
                          std::size_t output_lines_max) {
  const Review& review = shown.review;
  const std::string number = std::to_string(review.id.value());
  const Attempt* const attempt = shown.find(review.attempt);
  std::string out = style.paint(Paint::bold, "review " + number) + "  " +
                    printable(shown.workflow.name()) + "/" + printable(shown.stage().name) + "  " +
                    (shown.item ? id_part(shown.item->key) : "the whole job") + "  asked " +
                    times.of(review.opened_at) + claim_in_words(review, times, viewer) + "\n";
  out += answer_in_words(review, times);
  out += "why: " + std::string(name_of(review.reason));
  if (attempt != nullptr) out += " (" + printable(pawl::explain(shown.stage(), *attempt)) + ")";
  out += "\n";
  if (const Result<ActionSpec> action = action_from(shown.stage().params);
      action && !action->instructions.empty()) {
    out += printable_lines(action->instructions);
    if (!out.ends_with('\n')) out += "\n";
  }
  if (attempt != nullptr && !attempt->assessments.empty()) {
    out += assessments_text(*attempt, style);
  } else if (attempt != nullptr && attempt->feedback) {
    if (!attempt->feedback->summary.empty()) {
      out += "feedback: " + printable(attempt->feedback->summary) + "\n";
    }
    out += criteria_table(*attempt->feedback, style);
  }
  out += attempts_line(shown.attempts);
  const std::string rest = "pawl review show " + number;
  if (shown.item && !shown.item->data.is_null()) {
    out += style.paint(Paint::dim, "item:") + "\n" +
           indented(readable_lines(records, shown.item->data), data_lines_max,
                    "pawl item show " + quoted_for_shell(views::address_of(
                                            shown.job.id, shown.workflow, shown.item->key)));
  }
  out +=
      style.paint(Paint::dim, "output of attempt " + std::to_string(review.attempt) + ":") + "\n";
  if (shown.output.is_null()) return out + "  none\n";
  return out + indented(readable_lines(records, shown.output), output_lines_max, rest);
}

Result<std::string> attempts_diff(Records& records, const ShownReview& shown, const Style& style) {
  std::vector<AttemptNumber> numbers;
  for (const Attempt& attempt : shown.attempts) {
    if (!attempt.output.is_null()) numbers.push_back(attempt.number);
  }
  if (numbers.size() < 2)
    return std::string("nothing to compare: fewer than two attempts have an output\n");
  const AttemptNumber old_number = numbers[numbers.size() - 2];
  const Result<Json> before = output_of_attempt(records, shown, old_number);
  if (!before) return std::unexpected(before.error());
  const Result<Json> after = output_of_attempt(records, shown, numbers.back());
  if (!after) return std::unexpected(after.error());
  const std::string diff =
      line_diff(readable_lines(records, *before), readable_lines(records, *after), style);
  return "--- attempt " + std::to_string(old_number) + "\n+++ attempt " +
         std::to_string(numbers.back()) + "\n" +
         (diff.empty() ? std::string("the outputs are the same\n") : diff);
}

Result<ShownReview> give_answer(Store& store, const ShownReview& shown, Answer answer) {
  if (answer.digest.empty()) answer.digest = shown.review.digest;
  const std::string name = "review " + std::to_string(shown.review.id.value());
  const Result<Job> done =
      store.act(AnswerReview{.review = shown.review.id, .answer = std::move(answer)});
  Result<ShownReview> after = load_review(store.records(), shown.review.id);
  if (done) return after;
  if (done.error().code != ErrorCode::conflict || !after) {
    return std::unexpected(with_commands(done.error(), shown.job.id));
  }
  const Review& now = after->review;
  if (now.answer && now.status != ReviewStatus::superseded) {
    return pawl::fail(ErrorCode::conflict, name + " was already answered by " +
                                               now.answer->reviewer + ": " +
                                               std::string(name_of(now.answer->outcome)));
  }
  const bool is_claimed = now.status == ReviewStatus::open && now.digest == shown.review.digest;
  if (is_claimed && done.error().message.contains("claimed by")) {
    return std::unexpected(done.error());
  }
  return pawl::fail(ErrorCode::conflict,
                    name + " changed while you were reading: " + done.error().message,
                    "read it again: pawl review show " + std::to_string(now.id.value()));
}

}  // namespace pawl::cli
