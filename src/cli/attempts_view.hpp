#pragma once

/// Loads and formats the attempts of an item.

#include <string>
#include <vector>

#include "cli/address.hpp"
#include "cli/output/render.hpp"

namespace pawl::cli {

/// The closed attempts of one task.
struct TaskAttempts {
  Task task;
  std::string stage;
  std::vector<Attempt> attempts;

  /// "convert", or "convert[page-3]" for a fan-out child.
  [[nodiscard]] std::string name() const;
};

/// The attempts of every task at the address, in stage order. The fan-out children of a task follow
/// it.
[[nodiscard]] Result<std::vector<TaskAttempts>> attempts_at(Records& records,
                                                            const Address& address);

/// A table with the feedback of each attempt below it.
[[nodiscard]] std::string attempts_text(const std::vector<TaskAttempts>& all,
                                        const Workflow& workflow, const Style& style,
                                        const Times& times);

/// The outcome of an attempt in a few words: "rejected by gate structure (tables:
/// expected = 4, actual 3)", "failed: retryable exit 75 \"ocr busy\"".
[[nodiscard]] std::string outcome_in_words(const StageDefinition& stage, const Attempt& attempt);

/// The criteria of the feedback, failed ones first. Empty if there are none.
[[nodiscard]] std::string criteria_table(const Feedback& feedback, const Style& style);

}  // namespace pawl::cli
