#include "cli/output/attempts_view.hpp"

#include <algorithm>

#include "pawl/codec/names.hpp"
#include "pawl/core/decide.hpp"

namespace pawl::cli {
namespace {

Paint paint_of_attempt(const Attempt& attempt) {
  if (attempt.is_failure()) return Paint::red;
  return attempt.result == AttemptResult::success ? Paint::green : Paint::yellow;
}

}  // namespace

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
    }
  }
  if (table.empty()) return "no attempt has ended yet\n";
  return table.text(style);
}

}  // namespace pawl::cli
