#include "cli/output/attempts_view.hpp"

#include <algorithm>

#include "actions/attempt_records.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/decide.hpp"

namespace pawl::cli {
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

/// One gate, or one part of a composed gate, with the names that lead to it.
struct NamedAssessment {
  std::string name;  ///< "quality/1"
  const Assessment* assessment;
};

void add_named(const std::string& prefix, const std::vector<Assessment>& assessments,
               std::vector<NamedAssessment>& all) {
  for (const Assessment& one : assessments) {
    all.push_back({prefix + one.gate, &one});
    add_named(prefix + one.gate + "/", one.parts, all);
  }
}

std::vector<NamedAssessment> all_of_attempt(const Attempt& attempt) {
  std::vector<NamedAssessment> all;
  add_named({}, attempt.assessments, all);
  return all;
}

}  // namespace

std::string criteria_met(const Attempt& attempt) {
  std::size_t met = 0;
  std::size_t all = 0;
  const auto add = [&](const std::vector<Criterion>& criteria) {
    all += criteria.size();
    met += static_cast<std::size_t>(std::ranges::count(criteria, true, &Criterion::passed));
  };
  for (const NamedAssessment& one : all_of_attempt(attempt)) add(one.assessment->criteria);
  // Attempts of older versions have only their feedback.
  if (attempt.assessments.empty() && attempt.feedback) add(attempt.feedback->criteria);
  return all == 0 ? std::string() : std::to_string(met) + "/" + std::to_string(all);
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
  std::vector<std::pair<std::string, const Criterion*>> criteria;
  for (const auto& [name, assessment] : all_of_attempt(attempt)) {
    out += "gate " + printable(name) + (assessment->advisory ? " (advisory): " : ": ") +
           style.paint(paint_of(assessment->verdict), name_of(assessment->verdict));
    if (!assessment->summary.empty()) out += ", " + printable(assessment->summary);
    out += "\n";
    for (const Criterion& one : assessment->criteria) criteria.emplace_back(name, &one);
  }
  if (criteria.empty()) return out;
  std::ranges::stable_partition(criteria, [](const auto& one) { return !one.second->passed; });
  Table table({{"GATE", Table::Align::left, 24},
               {"CRITERION", Table::Align::left, 40},
               {"EXPECTED", Table::Align::left, 40},
               {"ACTUAL", Table::Align::left, 40},
               {"PASSED"}});
  for (const auto& [gate, one] : criteria) {
    table.add({gate,
               one->name,
               one->expected,
               one->actual,
               {one->passed ? "yes" : "no", one->passed ? Paint::green : Paint::red}});
  }
  return out + table.text(style);
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

std::string criteria_table(const Feedback& feedback, const Style& style) {
  if (feedback.criteria.empty()) return {};
  std::vector<Criterion> sorted = feedback.criteria;
  std::ranges::stable_partition(sorted, [](const Criterion& one) { return !one.passed; });
  Table table({{"CRITERION", Table::Align::left, 40},
               {"EXPECTED", Table::Align::left, 40},
               {"ACTUAL", Table::Align::left, 40},
               {"PASSED"}});
  for (const Criterion& one : sorted) {
    table.add({one.name,
               one.expected,
               one.actual,
               {one.passed ? "yes" : "no", one.passed ? Paint::green : Paint::red}});
  }
  return table.text(style);
}

std::string attempts_text(const std::vector<TaskAttempts>& all, const Workflow& workflow,
                          const Style& style, const Times& times) {
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
    for (const Attempt& attempt : one.attempts) {
      table.add({one.name(),
                 std::to_string(attempt.number),
                 std::string(name_of(attempt.cause)),
                 {outcome_in_words(stage, attempt), paint_of_attempt(attempt)},
                 in_words(time_taken(attempt)),
                 times.of(attempt.ended_at),
                 pawl::explain(stage, attempt)});
      std::string details = action_text(attempt, one.handler) + assessments_text(attempt, style) +
                            alternatives_text(attempt);
      if (const std::string ignored = ignored_lines_in_words(attempt); !ignored.empty()) {
        details += "note: " + ignored + "\n";
      }
      if (details.empty()) continue;
      findings += "\n" +
                  style.paint(Paint::bold, printable(one.name()) + ", attempt " +
                                               std::to_string(attempt.number)) +
                  "\n" + details;
    }
  }
  if (table.empty()) return "no attempt has ended yet\n";
  return table.text(style) + findings;
}

}  // namespace pawl::cli
