#pragma once

/// What is wrong with the review rules of a stage. The checker of workflow files reports the same
/// faults with their places.

#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/policy.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

/// A rule that contradicts another one: reviews could never be approved, or it would never apply.
struct RuleFault {
  std::string_view rule;  ///< the name of the rule: "approvals"; "when": the policy
  std::string what;       ///< what the stage does: "needs 3 approvals, but …"
  std::string help;
};

/// `has_reviews`: whether the policy of the stage asks a person.
[[nodiscard]] std::vector<RuleFault> contradictions_in(const ReviewRules& rules, bool has_reviews);

/// `invalid` unless it is the name of a person, or "group:" and the name of a group.
[[nodiscard]] Status check_assignee(std::string_view assignee);

}  // namespace pawl
