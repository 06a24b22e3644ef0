#include <algorithm>

#include "pawl/core/review_rules.hpp"
#include "pawl/workflow/file.hpp"
#include "workflow/faults.hpp"

namespace pawl {

using namespace workflow;

namespace {

Diagnostic unknown(const Assignee& assignee, const std::vector<std::string>& known) {
  const bool is_group = assignee.name.starts_with(group_prefix);
  const std::string name = assignee.name.substr(is_group ? group_prefix.size() : 0);
  Diagnostic warning{.code = "W004",
                     .severity = Severity::warning,
                     .message = std::string("there is no ") + (is_group ? "group " : "person ") +
                                in_quotes(name) + " yet",
                     .place = assignee.place,
                     .help = is_group ? "put somebody in it: pawl user groups"
                                      : "add the person: pawl user add " + name};
  if (const std::string nearest = meant_by(assignee.name, known); !nearest.empty()) {
    warning.help = "did you mean " + in_quotes(nearest) + "?";
    warning.suggestion = Suggestion{.replace = assignee.name, .with = nearest};
  }
  return warning;
}

}  // namespace

std::vector<Diagnostic> unknown_people(std::span<const Assignee> assignees,
                                       const std::vector<std::string>& known) {
  std::vector<Diagnostic> warnings;
  if (known.empty()) return warnings;
  for (const Assignee& assignee : assignees) {
    if (std::ranges::find(known, assignee.name) != known.end()) continue;
    warnings.push_back(unknown(assignee, known));
  }
  return warnings;
}

void warn_of_unknown_people(WorkflowFile& file, const std::vector<std::string>& known,
                            std::string_view name) {
  for (Diagnostic& warning : unknown_people(file.assignees, known)) {
    warning.file = name;
    file.warnings.push_back(std::move(warning));
  }
  file.warnings = in_order(std::move(file.warnings));
}

}  // namespace pawl
