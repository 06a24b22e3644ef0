#pragma once

/// Plans what a run would do, and why. Submits and runs nothing.

#include <cstdint>
#include <map>
#include <string>

#include "actions/submission.hpp"

namespace pawl::cli {

using actions::Submission;

struct Plan {
  std::int64_t total = 0;
  std::int64_t finished = 0;                   ///< adopted from an earlier job
  std::map<std::string, std::int64_t> to_run;  ///< number of items by reason
  [[nodiscard]] std::int64_t running() const { return total - finished; }
};

/// Compares every item with its results in earlier jobs of the same workflow.
[[nodiscard]] Result<Plan> plan_run(Records& records, const Submission& submission, bool fresh);

[[nodiscard]] std::string plan_text(const Plan& plan, const Workflow& workflow);
/// {"dry_run":true,"items":{"total","finished","to_run"},"reasons":{…},"stages":[…]}
[[nodiscard]] Json plan_document(const Plan& plan, const Workflow& workflow);

}  // namespace pawl::cli
