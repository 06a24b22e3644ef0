#pragma once

/// Parses durations, rates and percentages as people write them: 500ms, 1.5h, 60/m, 5%.

#include <optional>
#include <string_view>

#include "pawl/core/policy.hpp"
#include "pawl/core/time.hpp"

namespace pawl::workflow {

/// A number and a unit (ms, s, m, h, d), at most a hundred years; empty for any other text.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);
/// A whole number of at least 1, a slash and a unit (s, m, h, d).
[[nodiscard]] std::optional<Rate> parse_rate(std::string_view text);
/// 0% … 100%
[[nodiscard]] std::optional<double> parse_percentage(std::string_view text);

}  // namespace pawl::workflow
