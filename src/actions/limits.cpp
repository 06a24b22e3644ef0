#include "actions/limits.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "text/durations.hpp"
#include "views/escaped_text.hpp"

namespace pawl::actions {

using views::printable;

Result<Duration> parse_duration(std::string_view text) {
  if (const std::optional<Duration> duration = text::parse_duration_sum(text)) return *duration;
  if (text::is_too_long_a_duration(text)) {
    return fail(ErrorCode::invalid, '"' + printable(text) + "\" is too long for a duration",
                "use at most 285 years: 104000d");
  }
  return fail(ErrorCode::invalid, '"' + printable(text) + "\" is not a duration",
              "write a number and a unit: 30s, 15m, 8h, 2d");
}

Result<Tolerance> read_tolerance(const std::string& text) {
  const bool is_percentage = text.ends_with('%');
  const std::string number = is_percentage ? text.substr(0, text.size() - 1) : text;
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = read.ec == std::errc() && read.ptr == number.data() + number.size();
  const bool fits = is_number && value >= 0 &&
                    (is_percentage ? value <= 100 : value == std::floor(value) && value <= 1e15);
  if (!fits) {
    return fail(ErrorCode::invalid, "not a valid tolerance: '" + printable(text) + "'",
                "say how many items may fail, such as 10, or which share, such as 5%");
  }
  if (is_percentage) return Tolerance{.count = {}, .percent = value};
  return Tolerance{.count = static_cast<std::int64_t>(value), .percent = {}};
}

Result<Budget> changed(const Budget& budget, const BudgetChange& change) {
  constexpr double cost_usd_max = 1e9;
  Budget after = budget;
  Error faults{ErrorCode::invalid, {}, {}};
  const auto add = [&](const Error& fault) {
    faults.message += (faults.message.empty() ? "" : "; ") + fault.message;
    if (faults.help.empty()) faults.help = fault.help;
  };
  const auto set = [&](std::optional<Duration>& limit, const std::string& text) {
    if (text.empty()) return;
    const Result<Duration> read = parse_duration(text);
    if (read) limit = *read;
    if (!read) add(read.error());
  };
  if (change.attempts) after.max_total_attempts = change.attempts;
  if (change.tokens) after.tokens = change.tokens;
  if (change.attempts.value_or(0) < 0 || change.tokens.value_or(0) < 0) {
    add({ErrorCode::invalid, "the numbers of attempts and tokens must not be negative", {}});
  }
  if (change.cost_usd) {
    const bool fits = *change.cost_usd >= 0 && *change.cost_usd <= cost_usd_max;
    if (fits) after.cost_microusd = std::llround(*change.cost_usd * 1e6);
    if (!fits) add({ErrorCode::invalid, "the cost must be an amount in dollars, such as 25", {}});
  }
  set(after.deadline, change.deadline);
  set(after.no_progress, change.no_progress);
  if (faults.message.empty()) return after;
  return std::unexpected(std::move(faults));
}

}  // namespace pawl::actions
