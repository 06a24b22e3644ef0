#include "workflow/value_reader.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "pawl/codec/json.hpp"
#include "text/durations.hpp"

namespace pawl::workflow {
namespace {

using Kind = YamlNode::Kind;

void misfit(Faults& faults, const Value& value, const std::string& wanted, std::string help = {}) {
  const std::string found = value.node.kind == Kind::null ? "empty" : in_words(value.node);
  faults.add("E011", value.node.place, value.what + " must be " + wanted + ", not " + found,
             std::move(help));
}

std::string_view duration_help() { return "write a number and a unit: 500ms, 30s, 5m, 1.5h, 1d"; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool expect_map(Faults& faults, const Value& value, std::string help) {
  if (value.node.kind == Kind::map) return true;
  misfit(faults, value, "a map", std::move(help));
  return false;
}

bool expect_list(Faults& faults, const Value& value) {
  if (value.node.kind == Kind::list) return true;
  const bool is_word = value.node.kind == Kind::string;
  misfit(faults, value, "a list",
         is_word ? "write it as a list: [" + value.node.text + "]" : std::string{});
  return false;
}

std::optional<std::string> read_text(Faults& faults, const Value& value) {
  if (value.node.kind != Kind::string) {
    const bool is_plain = value.node.is_scalar() && value.node.kind != Kind::null;
    misfit(faults, value, "text",
           is_plain ? "put it in quotes: " + in_quotes(value.node.text) : std::string{});
    return std::nullopt;
  }
  if (value.node.text.empty()) {
    faults.add("E011", value.node.place, value.what + " is empty");
    return std::nullopt;
  }
  return value.node.text;
}

std::optional<std::string> read_argument(Faults& faults, const Value& value) {
  const Kind kind = value.node.kind;
  if (kind == Kind::string || kind == Kind::integer || kind == Kind::number) {
    return value.node.text;
  }
  misfit(faults, value, "text",
         kind == Kind::boolean ? "put it in quotes: " + in_quotes(value.node.text) : std::string{});
  return std::nullopt;
}

std::optional<bool> read_boolean(Faults& faults, const Value& value) {
  if (value.node.kind == Kind::boolean) return value.node.boolean;
  misfit(faults, value, "true or false");
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(Faults& faults, const Value& value, std::int64_t least,
                                         std::int64_t most) {
  if (value.node.kind != Kind::integer) {
    misfit(faults, value, "a whole number");
    return std::nullopt;
  }
  const Result<std::int64_t> number = JsonView(to_json(value.node)).integer();
  if (number && *number >= least && *number <= most) return *number;
  const bool has_top = most != std::numeric_limits<std::int64_t>::max();
  faults.add("E023", value.node.place, value.what + " cannot be " + value.node.text,
             "use at least " + std::to_string(least) +
                 (has_top ? " and at most " + std::to_string(most) : std::string{}));
  return std::nullopt;
}

std::optional<std::uint32_t> read_count(Faults& faults, const Value& value) {
  const auto count = read_integer(faults, value, 1, 1'000'000);
  return count ? std::optional(static_cast<std::uint32_t>(*count)) : std::nullopt;
}

std::optional<double> read_number(Faults& faults, const Value& value, double least, double most) {
  if (value.node.kind != Kind::integer && value.node.kind != Kind::number) {
    misfit(faults, value, "a number");
    return std::nullopt;
  }
  const Result<double> number = JsonView(to_json(value.node)).number();
  if (number && *number >= least && *number <= most) return *number;
  faults.add("E023", value.node.place, value.what + " cannot be " + value.node.text,
             "use at least " + std::to_string(std::llround(least)) + " and at most " +
                 std::to_string(std::llround(most)));
  return std::nullopt;
}

std::optional<Duration> read_duration(Faults& faults, const Value& value, Zero zero) {
  if (!value.node.is_scalar() || value.node.kind == Kind::null) {
    misfit(faults, value, "a duration", std::string(duration_help()));
    return std::nullopt;
  }
  const std::string& text = value.node.text;
  const std::optional<Duration> duration =
      value.node.kind == Kind::string ? text::parse_duration(text) : std::nullopt;
  if (!duration && text::is_too_long_a_duration(text)) {
    faults.add("E022", value.node.place, in_quotes(text) + " is too long for a duration",
               "use at most 285 years: 104000d");
    return std::nullopt;
  }
  if (!duration) {
    const bool is_bare = value.node.kind == Kind::integer || value.node.kind == Kind::number;
    faults.add(
        "E022", value.node.place, in_quotes(text) + " is not a duration",
        is_bare ? "write a unit: " + text + "s, " + text + "m" : std::string(duration_help()));
    return std::nullopt;
  }
  if (*duration == Duration::zero() && zero == Zero::refused) {
    faults.add("E022", value.node.place, value.what + " cannot be " + in_quotes(text),
               "use a duration longer than zero, or leave the key out");
    return std::nullopt;
  }
  return duration;
}

std::optional<Rate> read_rate(Faults& faults, const Value& value) {
  const std::optional<Rate> rate =
      value.node.kind == Kind::string ? text::parse_rate(value.node.text) : std::nullopt;
  if (rate) return rate;
  const std::string found =
      value.node.is_scalar() ? in_quotes(value.node.text) : in_words(value.node);
  faults.add("E024", value.node.place, found + " is not a rate",
             "write a number per second, minute, hour or day: 10/s, 60/m, 1000/h, 5000/d");
  return std::nullopt;
}

std::optional<Tolerance> read_tolerance(Faults& faults, const Value& value) {
  if (value.node.kind == Kind::integer) {
    if (const auto count = read_integer(faults, value, 0)) return Tolerance{.count = *count};
    return std::nullopt;
  }
  const std::optional<double> percent =
      value.node.kind == Kind::string ? text::parse_percentage(value.node.text) : std::nullopt;
  if (percent) return Tolerance{.percent = *percent};
  const std::string found =
      value.node.is_scalar() ? in_quotes(value.node.text) : in_words(value.node);
  faults.add("E025", value.node.place,
             value.what + " must be a number or a percentage, not " + found,
             "write how many failures are tolerated: 3, or 5%");
  return std::nullopt;
}

std::optional<std::string> read_word(Faults& faults, const Value& value,
                                     const std::vector<std::string>& words) {
  if (value.node.kind == Kind::string && std::ranges::find(words, value.node.text) != words.end()) {
    return value.node.text;
  }
  if (!value.node.is_scalar() || value.node.kind == Kind::null) {
    misfit(faults, value, "one of " + listed(words));
    return std::nullopt;
  }
  faults.add_misspelt("E018", value.node.place,
                      value.what + " cannot be " + in_quotes(value.node.text), value.node.text,
                      words, "use one of: " + listed(words));
  return std::nullopt;
}

std::vector<PlacedText> read_texts(Faults& faults, const Value& value) {
  std::vector<PlacedText> texts;
  if (!expect_list(faults, value)) return texts;
  std::set<std::string_view> seen;
  for (const YamlNode& element : value.node.list) {
    const auto text = read_text(faults, {element, "each of " + value.what});
    if (!text) continue;
    if (!seen.insert(element.text).second) {
      faults.add("E026", element.place, in_quotes(*text) + " is listed twice in " + value.what,
                 "remove one");
      continue;
    }
    texts.push_back({*text, element.place});
  }
  return texts;
}

bool check_name(Faults& faults, const Place& place, std::string_view what, std::string_view name) {
  constexpr std::size_t length_max = 64;
  const bool fits =
      !name.empty() && name.size() <= length_max && is_letter(name.front()) &&
      std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
  if (fits) return true;
  faults.add("E019", place, in_quotes(name) + " cannot be the name of " + std::string(what),
             "use at most 64 letters, digits, _ and -, starting with a letter or _");
  return false;
}

bool check_variable_name(Faults& faults, const Place& place, std::string_view name) {
  if (name.starts_with("PAWL_")) {
    faults.add("E019", place, "the variable " + in_quotes(name) + " is reserved for pawl",
               "choose a name that does not begin with PAWL_");
    return false;
  }
  const bool fits = !name.empty() && is_letter(name.front()) &&
                    std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
  if (!fits) {
    faults.add("E019", place, in_quotes(name) + " cannot be the name of an environment variable",
               "use letters, digits and _, starting with a letter or _");
  }
  return fits;
}

}  // namespace pawl::workflow
