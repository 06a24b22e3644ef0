#pragma once

/// The attempts of an item, and how people see them.

#include <string>
#include <vector>

#include "cli/address.hpp"
#include "cli/render.hpp"

namespace pawl::cli {

/// The closed attempts of one task.
struct TaskAttempts {
  Task task;
  std::string stage;
  std::vector<Attempt> attempts;

  /// "convert", or "convert[page-3]" for a fan-out child.
  [[nodiscard]] std::string name() const;
};

/// Those of every task meant, in stage order, each followed by its fan-out children's.
[[nodiscard]] Result<std::vector<TaskAttempts>> attempts_at(Records& records,
                                                            const Address& address);

/// A table with the feedback of each attempt below it.
[[nodiscard]] std::string attempts_text(const std::vector<TaskAttempts>& all,
                                        const Workflow& workflow, const Style& style,
                                        const Times& times);

/// What an attempt of the stage came to, in a few words: "rejected by gate structure (tables:
/// expected = 4, actual 3)", "failed: retryable exit 75 \"ocr busy\"".
[[nodiscard]] std::string outcome_in_words(const StageDefinition& stage, const Attempt& attempt);

/// The criteria of a feedback, those not passed first. Empty when there are none.
[[nodiscard]] std::string criteria_table(const Feedback& feedback, const Style& style);

}  // namespace pawl::cli
