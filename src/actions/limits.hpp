#pragma once

/// The limits of a job as people write them: for the command line and for the service.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pawl/core/policy.hpp"
#include "pawl/core/result.hpp"

namespace pawl::actions {

/// "30s", "15m", "8h", "2d", "1h30m", "250ms". `invalid` with the expected form.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

/// How many items may fail: "3" or "5%". `invalid` with the expected form.
[[nodiscard]] Result<Tolerance> read_tolerance(const std::string& text);

/// New values for limits of a budget. What is not set stays as it is.
struct BudgetChange {
  std::optional<std::int64_t> attempts;  ///< of the whole job
  std::optional<double> cost_usd;
  std::optional<std::int64_t> tokens;
  std::string deadline;     ///< since the submission, "8h"; empty: not set
  std::string no_progress;  ///< without a task that ends, "30m"; empty: not set
};
/// `invalid` with everything that is wrong.
[[nodiscard]] Result<Budget> changed(const Budget& budget, const BudgetChange& change);

}  // namespace pawl::actions
