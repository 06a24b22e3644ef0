#include "views/event_choice.hpp"

#include <optional>
#include <string_view>

#include "core/joined.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "text/durations.hpp"
#include "views/escaped_text.hpp"

namespace pawl::views {
namespace {

/// Whether a name has the form of a pattern, in which '*' stands for any text and '?' for any
/// character. Each '*' goes back to the newest one before it, so the time is bounded by the product
/// of the lengths.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t in_pattern = 0;
  std::size_t in_name = 0;
  std::optional<std::size_t> star;
  std::size_t after_star = 0;
  while (in_name < name.size()) {
    const bool is_left = in_pattern < pattern.size();
    if (is_left && pattern[in_pattern] == '*') {
      star = in_pattern++;
      after_star = in_name;
    } else if (is_left && (pattern[in_pattern] == '?' || pattern[in_pattern] == name[in_name])) {
      ++in_pattern;
      ++in_name;
    } else if (star) {
      in_pattern = *star + 1;
      in_name = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

}  // namespace

Result<std::set<EventType>> event_types_of(const std::vector<std::string>& patterns) {
  const std::vector<std::string> names = all_names<EventType>();
  std::set<EventType> types;
  for (const std::string& pattern : patterns.empty() ? std::vector<std::string>{"*"} : patterns) {
    bool is_known = false;
    for (const std::string& name : names) {
      if (!matches(pattern, name)) continue;
      types.insert(*from_name<EventType>(name));
      is_known = true;
    }
    if (is_known) continue;
    const std::string near = nearest_name(pattern, names);
    return fail(
        ErrorCode::invalid, "no such event type: '" + printable(pattern) + "'",
        near.empty() ? "the event types are: " + joined(names) : "did you mean '" + near + "'?");
  }
  return types;
}

Result<Timestamp> time_since(const std::string& text, Timestamp now) {
  if (text.empty()) return no_time;
  if (const Result<Timestamp> moment = parse_rfc3339(text)) return *moment;
  if (const std::optional<Duration> ago = text::parse_duration_sum(text)) return now - *ago;
  if (text::is_too_long_a_duration(text)) {
    return fail(ErrorCode::invalid, '"' + printable(text) + "\" is too long for a duration",
                "use at most 285 years: 104000d");
  }
  return fail(ErrorCode::invalid, "'" + printable(text) + "' is neither a duration nor a time",
              "write 15m for the last 15 minutes, or a time such as 2026-03-01T12:00:00Z");
}

}  // namespace pawl::views
