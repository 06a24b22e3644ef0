#pragma once

/// Durations, rates and percentages as people write and read them: 500ms, 1.5h, 60/m, 5%.

#include <optional>
#include <string>
#include <string_view>

#include "pawl/core/policy.hpp"
#include "pawl/core/time.hpp"

namespace pawl::text {

/// us, ms, s, m, h or d
[[nodiscard]] std::optional<Duration> unit_of_time(std::string_view name);
/// So many units, rounded. Empty if that is negative or more than 285 years.
[[nodiscard]] std::optional<Duration> duration_of(double number, Duration unit);

/// A number and a unit (ms, s, m, h, d); empty for any other text.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);
/// The same, or several of them in a row: "1h30m".
[[nodiscard]] std::optional<Duration> parse_duration_sum(std::string_view text);
/// Whether the text is a duration of more than 285 years, which is why it cannot be parsed.
[[nodiscard]] bool is_too_long_a_duration(std::string_view text);
/// A whole number of at least 1, a slash and a unit (s, m, h, d).
[[nodiscard]] std::optional<Rate> parse_rate(std::string_view text);
/// 0% … 100%
[[nodiscard]] std::optional<double> parse_percentage(std::string_view text);

/// "41s", "2h10m", "3d4h", "350ms", "8.1s": the two largest units.
[[nodiscard]] std::string in_words(Duration duration);
/// "14d 2h", "1m 30s 250ms", "0s": every unit, so that nothing is rounded.
[[nodiscard]] std::string in_all_units(Duration duration);
/// "90m", "1500ms": in the largest unit that needs no fraction.
[[nodiscard]] std::string in_one_unit(Duration duration);

}  // namespace pawl::text
