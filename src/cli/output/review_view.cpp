#include "cli/output/review_view.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "actions/attempt_records.hpp"
#include "actions/review_input.hpp"
#include "cli/output/attempts_view.hpp"
#include "cli/output/criteria_view.hpp"
#include "cli/output/file_outputs.hpp"
#include "cli/output/job_view.hpp"
#include "cli/output/line_diff.hpp"
#include "cli/output/review_head.hpp"
#include "cli/output/rows.hpp"
#include "core/joined.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/decide.hpp"
#include "pawl/workflow/action.hpp"
#include "views/address.hpp"

namespace pawl::cli {
namespace {

constexpr std::size_t data_lines_max = 12;
/// How many rows of the head are shown on a small terminal in any case.
constexpr std::size_t head_rows_min = 6;

std::string rest_line(std::size_t left, const std::string& shown_by) {
  return "  … " + counted(static_cast<std::int64_t>(left), "more line") + ": " + shown_by + "\n";
}

std::vector<std::string> printable_each(std::vector<std::string> lines) {
  for (std::string& line : lines) line = printable(line);
  return lines;
}

/// "1 (0 of 4 criteria met), 3 (3 of 4)": each attempt with the number of criteria that it met.
std::string attempts_line(const std::vector<Attempt>& attempts) {
  std::string out;
  bool says_criteria = false;
  for (const Attempt& attempt : attempts) {
    std::string met = criteria_met(attempt);
    if (!met.empty() && !std::exchange(says_criteria, true)) met += " criteria met";
    out += (out.empty() ? " " : ", ") + std::to_string(attempt.number) + " (" +
           (met.empty() ? std::string(name_of(attempt.result)) : met) + ")";
  }
  return "attempts:" + out + "\n";
}

Json without_members(const Json& value, const std::vector<std::string>& names) {
  if (names.empty() || !is_object(value)) return value;
  std::vector<std::pair<std::string, Json>> rest = members(value);
  std::erase_if(rest, [&](const auto& one) { return std::ranges::count(names, one.first) > 0; });
  return Json::object(rest);
}

/// The model of a usage is kept as {"model": "…"}: its name alone says it.
std::string summary_in_words(const ArtifactRecord& artifact) {
  const Result<std::string> text = field(artifact.summary, artifact.name).string();
  const bool is_alone = text && members(artifact.summary).size() == 1;
  return is_alone ? *text : artifact.summary.text();
}

/// One line for each artifact: where it is, or what it says.
std::vector<std::string> artifact_lines(Records& records, const Attempt& attempt) {
  std::vector<std::string> lines;
  for (const ArtifactRecord& one : attempt.artifacts) {
    switch (one.kind) {
      case ArtifactKind::standard_output:
      case ArtifactKind::standard_error:
        break;  // `item logs` shows them
      case ArtifactKind::file: {
        const auto path = records.payload_path(one.sha256);
        lines.push_back("file " + one.name + ", " + bytes_in_words(one.size) + ", " +
                        (path ? path->string() : "its content is missing"));
        break;
      }
      case ArtifactKind::url:
        lines.push_back(one.name + ": " + one.reference);
        break;
      case ArtifactKind::json:
        if (one.name != actions::ignored_lines_name) {
          lines.push_back(one.name + ": " + summary_in_words(one));
        }
        break;
    }
  }
  return lines;
}

/// Collects the sections of a page.
class Sections {
 public:
  Sections(Records& records, const ShownReview& shown) : records_(records), shown_(shown) {}

  std::vector<ReviewSection> all() && {
    add_edits();
    const Json show = shown_.show();
    if (const Result<std::string> name = field(show, "main").string()) add_shown(*name);
    if (const Result<std::string> name = field(show, "beside").string()) add_shown(*name);
    for (const Json& name : elements(field(show, "beside"))) {
      add_shown(JsonView(name).string().value_or(""));
    }
    if (shown_.item && !shown_.item->data.is_null()) {
      const std::string address =
          views::address_of(shown_.job.id, shown_.workflow, shown_.item->key);
      add("item:", readable_lines(records_, shown_.item->data));
      made_.back().shown_by = "pawl item show " + quoted_for_shell(address);
      made_.back().lines_max = data_lines_max;
    }
    // The output of a human stage is its input.
    const bool is_same = canonical(shown_.in) == canonical(shown_.content());
    if (!shown_.in.is_null() && !is_same) add_rest("in:", shown_.in, shown_inputs_);
    const AttemptNumber attempt =
        shown_.approved ? shown_.approved->attempt : shown_.review.attempt;
    add_rest("output of attempt " + std::to_string(attempt) + with_edits() + ":", shown_.content(),
             shown_outputs_);
    if (const Attempt* const shown = shown_.find(attempt)) {
      const std::vector<std::string> artifacts = artifact_lines(records_, *shown);
      if (!artifacts.empty()) add("artifacts:", artifacts);
    }
    return std::move(made_);
  }

 private:
  void add(const std::string& title, std::vector<std::string> lines) {
    made_.push_back({.title = printable(title),
                     .lines = printable_each(std::move(lines)),
                     .shown_by = "pawl review show " + std::to_string(shown_.review.id.value())});
  }

  /// ", with bert's edits" after the title of an output that has them.
  [[nodiscard]] std::string with_edits() const {
    if (!shown_.approved || !shown_.approved->edits) return {};
    return ", with " + shown_.approved->edited_by + "'s edits";
  }

  /// What the edits change that were approved, or that others are to approve.
  void add_edits() {
    const std::optional<ApprovedContent>& approved = shown_.approved;
    if (!approved || !approved->edits) return;
    const std::string diff = line_diff(readable_lines(records_, shown_.approved_output),
                                       readable_lines(records_, *approved->edits), Style{});
    std::istringstream text(diff);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    add("edits of attempt " + std::to_string(approved->attempt) + " by " + approved->edited_by +
            ":",
        std::move(lines));
  }

  /// A field that `show` names: "out.text" or "in.sources".
  void add_shown(const std::string& name) {
    const bool is_output = name.starts_with("out.");
    const std::string path = name.substr(std::min(name.find('.') + 1, name.size()));
    const Result<Json> value = JsonView(is_output ? shown_.content() : shown_.in)[path].json();
    if (!value) return;
    // A text is shown as it is, not as JSON.
    const Result<std::string> text = JsonView(*value).string();
    const bool is_one_line = text && !text->contains('\n');
    const Json lines = is_one_line ? Json(*text + "\n") : *value;
    add(name + (is_output ? with_edits() : "") + ":", readable_lines(records_, lines));
    (is_output ? shown_outputs_ : shown_inputs_).push_back(path);
  }

  /// The fields that were not shown before.
  void add_rest(const std::string& title, const Json& value,
                const std::vector<std::string>& shown_before) {
    const Json rest = without_members(value, shown_before);
    if (!shown_before.empty() && members(rest).empty()) return;
    add(title, value.is_null() ? std::vector<std::string>{"none"} : readable_lines(records_, rest));
  }

  Records& records_;
  const ShownReview& shown_;
  std::vector<std::string> shown_inputs_;
  std::vector<std::string> shown_outputs_;
  std::vector<ReviewSection> made_;
};

/// A part of the screen, and how much of it is shown.
struct FittedPart {
  std::string title;  ///< empty for the head
  std::vector<std::string> rows;
  std::size_t rows_min = 1;
  std::size_t shown = 0;

  [[nodiscard]] std::size_t height() const {
    return (title.empty() ? 0 : 1) + shown + (shown < rows.size() ? 1 : 0);
  }
  void show(std::size_t most) { shown = std::min(rows.size(), std::max(most, rows_min)); }
};

std::size_t height_of(const std::vector<FittedPart>& parts) {
  std::size_t height = 0;
  for (const FittedPart& part : parts) height += part.height();
  return height;
}

/// Whether every part fits if none is longer than this.
bool fits(std::vector<FittedPart>& parts, std::size_t most, std::size_t rows) {
  for (FittedPart& part : parts) part.show(most);
  return height_of(parts) <= rows;
}

/// Shares the rows of the screen: every part gets the same, and the first one that is cut gets what
/// the short ones leave. On a very small screen the last parts are left out. Returns how many rows
/// they have.
std::size_t share_rows(std::vector<FittedPart>& parts, std::size_t rows) {
  std::size_t left_out = 0;
  std::size_t most = rows;
  while (most > 1 && !fits(parts, most, rows)) --most;
  if (!fits(parts, most, rows)) {
    parts.front().rows_min = 1;
    // One row says that something is missing.
    while (parts.size() > 1 && !fits(parts, 1, rows - 1)) {
      left_out += parts.back().rows.size();
      parts.pop_back();
    }
    rows -= std::min<std::size_t>(rows, left_out > 0 ? 1 : 0);
  }
  for (FittedPart& part : parts) {
    while (part.shown < part.rows.size() && height_of(parts) < rows) ++part.shown;
  }
  return left_out;
}

}  // namespace

Result<ShownReview> load_review_with_input(Session& session, Records& records, ReviewId id) {
  Result<ShownReview> shown = actions::load_review_with_input(records, id, session.times().now);
  if (shown && !shown->in_fault.empty()) {
    session.say("the input of the stage cannot be shown: " + printable(shown->in_fault));
  }
  return shown;
}

Result<ShownReview> load_review_to_change(Store& store, ReviewId id) {
  Result<ShownReview> shown = load_review(store.records(), id, store.now());
  if (!shown) return shown;
  const Review& review = shown->review;
  const bool has_notice = review.status == ReviewStatus::open && review.notice_at != no_time &&
                          review.notice_at <= shown->read_at;
  if (!has_notice) return shown;
  for (bool more = true; more;) {
    const Result<Swept> swept = store.sweep({});
    if (!swept) return std::unexpected(swept.error());
    more = swept->more;
  }
  return load_review(store.records(), id, store.now());
}

ReviewPage review_page(Records& records, const ShownReview& shown, const Style& style,
                       const Times& times, const std::string& viewer, const std::string& position) {
  const Review& review = shown.review;
  const Attempt* const attempt = shown.find(review.attempt);
  std::string out = style.paint(Paint::bold, "review " + std::to_string(review.id.value())) + "  " +
                    printable(shown.workflow.name()) + "/" + printable(shown.task_name()) + "  " +
                    (shown.item ? id_part(shown.item->key) : "the whole job") + "  asked " +
                    times.of(review.opened_at);
  const std::string claim = claim_in_words(review, times, viewer);
  for (const std::string& part : {claim, position}) out += part.empty() ? "" : "  " + part;
  out += "\n" + people_text(records, shown, style, times);
  out += "why: " + printable(views::reason_in_words(shown)) + "\n";
  if (const Result<ActionSpec> action = action_from(shown.stage().params);
      action && !action->instructions.empty()) {
    out += printable_lines(action->instructions);
    if (!out.ends_with('\n')) out += "\n";
  }
  if (attempt != nullptr) out += action_text(*attempt, shown.stage().handler);
  if (attempt != nullptr && !attempt->assessments.empty()) {
    out += assessments_text(*attempt, style);
  } else if (attempt != nullptr && attempt->feedback) {
    if (!attempt->feedback->summary.empty()) {
      out += "feedback: " + printable(attempt->feedback->summary) + "\n";
    }
  }
  out += criteria_text(criteria_of(shown.attempts), style);
  if (attempt != nullptr) out += alternatives_text(*attempt);
  if (attempt != nullptr && !attempt->summary.empty()) {
    out += "summary: " + printable(attempt->summary) + "\n";
  }
  if (attempt != nullptr) {
    if (const std::string note = ignored_lines_in_words(*attempt); !note.empty()) {
      out += "note: " + note + "\n";
    }
  }
  if (const auto& reasons = shown.stage().review_rules.reasons; !reasons.empty()) {
    out += "usual reasons: " + printable(joined(reasons, "; ")) + "\n";
  }
  out += attempts_line(shown.attempts);
  out += output_change_text(output_changes(records, shown.attempts), review.attempt);
  return {.head = std::move(out), .sections = Sections(records, shown).all()};
}

std::string review_text(const ReviewPage& page, const Style& style, std::size_t lines_max) {
  std::string out = page.head;
  for (const ReviewSection& section : page.sections) {
    out += style.paint(Paint::dim, section.title) + "\n";
    const std::size_t most = section.lines_max > 0 ? section.lines_max : lines_max;
    const std::size_t shown =
        most == 0 ? section.lines.size() : std::min(section.lines.size(), most);
    for (std::size_t i = 0; i < shown; ++i) out += "  " + section.lines[i] + "\n";
    const std::size_t left = section.lines.size() - shown;
    if (left > 0) out += rest_line(left, section.shown_by);
  }
  return out;
}

std::string fitted_review(const ReviewPage& page, const Style& style, const TerminalSize& size) {
  std::vector<FittedPart> parts{
      {.title = {}, .rows = rows_of(page.head, size.columns), .rows_min = head_rows_min}};
  for (const ReviewSection& section : page.sections) {
    FittedPart part{.title = section.title, .rows = {}};
    for (const std::string& line : section.lines) {
      // Rows after the first are indented like the first.
      for (const std::string& row : rows_of(line, size.columns - 2))
        part.rows.push_back("  " + row);
      if (line.empty()) part.rows.emplace_back();
    }
    parts.push_back(std::move(part));
  }
  const std::size_t left_out = share_rows(parts, size.rows);
  std::string out;
  for (const FittedPart& part : parts) {
    if (!part.title.empty()) out += style.paint(Paint::dim, part.title) + "\n";
    for (std::size_t i = 0; i < part.shown; ++i) out += part.rows[i] + "\n";
    if (part.shown < part.rows.size()) {
      out += rest_line(part.rows.size() - part.shown, "press v");
    }
  }
  if (left_out > 0) out += rest_line(left_out, "press v");
  return out;
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

std::optional<Error> error_if_answered(const Review& review) {
  if (!review.answer || review.status == ReviewStatus::superseded) return std::nullopt;
  const std::string number = std::to_string(review.id.value());
  Error error{.code = ErrorCode::conflict, .message = "review " + number, .help = {}};
  if (review.answer->reviewer == overdue_name) {
    error.message += " was rejected because nobody decided it in time";
    error.help = "see: pawl review show " + number;
  } else {
    error.message += " was already answered by " + review.answer->reviewer + ": " +
                     std::string(name_of(review.answer->outcome));
  }
  return error;
}

Result<ShownReview> give_answer(Store& store, const ShownReview& shown, Answer answer,
                                const Actor& actor) {
  if (answer.digest.empty()) answer.digest = shown.review.digest;
  answer.reviewer = actor.name;
  const std::string digest = answer.digest;
  const Result<Job> done =
      store.act(AnswerReview{.review = shown.review.id, .answer = std::move(answer)}, actor);
  Result<ShownReview> after = load_review(store.records(), shown.review.id, store.now());
  if (done) return after;
  if (done.error().code != ErrorCode::conflict || !after) {
    return std::unexpected(with_commands(done.error(), shown.job.id));
  }
  const Review& now = after->review;
  const std::string name = "review " + std::to_string(now.id.value());
  if (std::optional<Error> answered = error_if_answered(now)) {
    return std::unexpected(*std::move(answered));
  }
  // It is claimed, or this person has approved it before.
  if (now.status == ReviewStatus::open && now.digest == digest) {
    return std::unexpected(done.error());
  }
  return pawl::fail(ErrorCode::conflict,
                    name + " changed while you were reading: " + done.error().message,
                    done.error().help.empty()
                        ? "read it again: pawl review show " + std::to_string(now.id.value())
                        : done.error().help);
}

std::string answer_given_in_words(const ShownReview& before, const ShownReview& after,
                                  const std::string& words) {
  const bool is_open = after.review.status == ReviewStatus::open;
  std::string out = "review " + std::to_string(after.review.id.value()) + (is_open ? ": " : " ");
  out += is_open ? views::approvals_in_words(after.votes) + "; waits for " +
                       views::missing_in_words(after.votes)
                 : words;
  if (!is_open && after.approved && after.approved->edits &&
      after.approved->edited_by != after.review.answer->reviewer) {
    out = "review " + std::to_string(after.review.id.value()) + " " +
          printable(views::outcome_in_words(after.review, after.votes, *after.review.answer));
  }
  const std::string voided = voided_in_words(before.votes, after.votes);
  return voided.empty() ? out : out + "; " + voided;
}

}  // namespace pawl::cli
