#include "cli/output/attempts_view.hpp"

#include <algorithm>

#include "actions/attempt_records.hpp"
#include "cli/output/criteria_view.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/decide.hpp"

namespace pawl::cli {

using views::NamedCriterion;
using views::OutputChange;

namespace {

/// How much of an action or an alternative is shown; JSON has all of it.
constexpr std::size_t text_width_max = 160;

Paint paint_of_attempt(const Attempt& attempt) {
  if (attempt.is_failure()) return Paint::red;
  return attempt.result == AttemptResult::success ? Paint::green : Paint::yellow;
}

Paint paint_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted:
      return Paint::green;
    case Verdict::rejected:
      return Paint::red;
    case Verdict::uncertain:
      return Paint::yellow;
  }
  return Paint::plain;
}

}  // namespace

std::string criteria_met(const Attempt& attempt) {
  const std::vector<NamedCriterion> all = views::named_criteria(attempt);
  if (all.empty()) return {};
  const auto met =
      std::ranges::count_if(all, [](const NamedCriterion& one) { return one.criterion->passed; });
  return std::to_string(met) + " of " + std::to_string(all.size());
}

std::string ignored_lines_in_words(const Attempt& attempt) {
  const auto note =
      std::ranges::find(attempt.artifacts, actions::ignored_lines_name, &ArtifactRecord::name);
  if (note == attempt.artifacts.end()) return {};
  const std::int64_t lines = field(note->summary, "lines").integer().value_or(0);
  const std::string first = field(note->summary, "first").string().value_or("");
  return counted(lines, "line of PAWL_EVENTS was", "lines of PAWL_EVENTS were") +
         " ignored; the first: " + printable(first);
}

std::string assessments_text(const Attempt& attempt, const Style& style) {
  std::string out;
  for (const auto& [name, assessment] : views::named_assessments(attempt)) {
    out += "gate " + printable(name) + (assessment->advisory ? " (advisory): " : ": ") +
           style.paint(paint_of(assessment->verdict), name_of(assessment->verdict));
    if (!assessment->summary.empty()) out += ", " + printable(assessment->summary);
    out += "\n";
  }
  return out;
}

std::string action_text(const Attempt& attempt, std::string_view handler) {
  const std::string action = views::action_in_words(attempt, handler);
  if (action.empty()) return {};
  return "ran: " + shortened(printable(action), text_width_max) + "\n";
}

std::string alternatives_text(const Attempt& attempt) {
  std::string out;
  for (const Json& one : attempt.alternatives) {
    const std::string text = JsonView(one).string().value_or(one.text());
    out += "alternative: " + shortened(printable(text), text_width_max) + "\n";
  }
  return out;
}

namespace {

/// What the table of the attempts has no room for; empty if there is nothing.
std::string details_of(const Attempt& attempt, const std::vector<OutputChange>& changes,
                       const Style& style) {
  std::string details = assessments_text(attempt, style) + alternatives_text(attempt) +
                        output_change_text(changes, attempt.number);
  if (const std::string ignored = ignored_lines_in_words(attempt); !ignored.empty()) {
    details += "note: " + ignored + "\n";
  }
  return details;
}

}  // namespace

std::string attempts_text(Records& records, const std::vector<TaskAttempts>& all,
                          const Workflow& workflow, const Style& style, const Times& times) {
  Table table({{"STAGE", Table::Align::left, 40},
               {"#", Table::Align::right},
               {"CAUSE"},
               {"OUTCOME", Table::Align::left, 72},
               {"TOOK", Table::Align::right},
               {"ENDED"},
               {"DECISION", Table::Align::left, 72}});
  std::string findings;
  for (const TaskAttempts& one : all) {
    StageDefinition stage = workflow.stage(one.task.stage());
    if (one.task.child) stage = policies_of_child(std::move(stage));
    const std::vector<OutputChange> changes = output_changes(records, one.attempts);
    for (const Attempt& attempt : one.attempts) {
      table.add({one.name(),
                 std::to_string(attempt.number),
                 std::string(name_of(attempt.cause)),
                 {outcome_in_words(stage, attempt), paint_of_attempt(attempt)},
                 in_words(time_taken(attempt)),
                 times.of(attempt.ended_at),
                 pawl::explain(stage, attempt)});
      const std::string details =
          action_text(attempt, one.handler) + details_of(attempt, changes, style);
      if (details.empty()) continue;
      findings += "\n" +
                  style.paint(Paint::bold, printable(one.name()) + ", attempt " +
                                               std::to_string(attempt.number)) +
                  "\n" + details;
    }
    const std::string criteria = criteria_text(criteria_of(one.attempts), style);
    if (criteria.empty()) continue;
    findings += "\n" + style.paint(Paint::bold, printable(one.name()) + ", criteria by attempt") +
                "\n" + criteria;
  }
  if (table.empty()) return "no attempt has ended yet\n";
  return table.text(style) + findings;
}

}  // namespace pawl::cli
