#include "views/criteria.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace pawl::views {
namespace {

void add_named(const std::string& prefix, const std::vector<Assessment>& assessments,
               std::vector<NamedAssessment>& all) {
  for (const Assessment& one : assessments) {
    all.push_back({prefix + one.gate, &one});
    add_named(prefix + one.gate + "/", one.parts, all);
  }
}

bool is_judged(const Attempt& attempt) {
  return attempt.verdict || !attempt.assessments.empty() ||
         (attempt.feedback && !attempt.feedback->criteria.empty());
}

using GateAndName = std::pair<std::string, std::string>;

/// The criteria that a gate has more than once in one attempt.
std::set<GateAndName> repeated_in(const std::vector<Attempt>& attempts) {
  std::set<GateAndName> repeated;
  for (const Attempt& attempt : attempts) {
    std::set<GateAndName> seen;
    for (const auto& [gate, criterion] : named_criteria(attempt)) {
      GateAndName name{gate, criterion->name};
      if (!seen.insert(name).second) repeated.insert(std::move(name));
    }
  }
  return repeated;
}

/// The rows in the order in which they appear first, without trends.
std::vector<CriterionRow> collected(const std::vector<Attempt>& attempts) {
  const std::set<GateAndName> repeated = repeated_in(attempts);
  // Gate, name, the expectation if it is needed, and which of several equal ones it is.
  using Key = std::tuple<std::string, std::string, std::string, std::size_t>;
  std::map<Key, std::size_t> known;
  std::vector<CriterionRow> rows;
  for (const Attempt& attempt : attempts) {
    std::set<Key> taken;
    for (const auto& [gate, criterion] : named_criteria(attempt)) {
      const auto& [name, expected, actual, passed] = *criterion;
      Key key{gate, name, repeated.contains({gate, name}) ? expected : std::string(), 0};
      while (!taken.insert(key).second) ++std::get<std::size_t>(key);
      const auto [place, is_new] = known.emplace(std::move(key), rows.size());
      if (is_new) rows.push_back({.gate = gate, .name = name, .trend = {}, .cells = {}});
      rows[place->second].cells.push_back({attempt.number, passed, expected, actual});
    }
  }
  return rows;
}

/// The trend at the newest judged attempt, over the cells of its epoch.
std::optional<Trend> trend_at(const CriterionRow& row, const Attempt& newest_judged,
                              AttemptNumber first_of_epoch) {
  if (row.cells.back().attempt != newest_judged.number) return std::nullopt;
  const auto first =
      std::ranges::lower_bound(row.cells, first_of_epoch, {}, &CriterionCell::attempt);
  return trend_of(std::span(first, row.cells.end()));
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number =
      read.ec == std::errc{} && read.ptr == text.data() + text.size() && std::isfinite(number);
  return is_number ? std::optional(number) : std::nullopt;
}

/// The text after this word and the spaces behind it; none if it does not begin with the word.
std::optional<std::string_view> after(std::string_view word, std::string_view text) {
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

enum class Bound : std::uint8_t { least, above, most, below, equal };

struct Expectation {
  Bound bound;
  double number;
};

std::optional<Expectation> expectation_in(std::string_view text) {
  // The longer signs come first; the empty one is a bare number.
  constexpr std::array<std::pair<std::string_view, Bound>, 9> signs{{{">=", Bound::least},
                                                                     {"<=", Bound::most},
                                                                     {"==", Bound::equal},
                                                                     {"at least", Bound::least},
                                                                     {"at most", Bound::most},
                                                                     {">", Bound::above},
                                                                     {"<", Bound::below},
                                                                     {"=", Bound::equal},
                                                                     {"", Bound::equal}}};
  for (const auto& [sign, bound] : signs) {
    const std::optional<std::string_view> rest = after(sign, text);
    if (!rest) continue;
    const std::optional<double> number = number_in(*rest);
    return number ? std::optional(Expectation{bound, *number}) : std::nullopt;
  }
  return std::nullopt;
}

/// How far the actual value is on the wrong side of the bound; negative on the right side.
double shortfall(const Expectation& expected, double actual) {
  switch (expected.bound) {
    case Bound::least:
    case Bound::above:
      return expected.number - actual;
    case Bound::most:
    case Bound::below:
      return actual - expected.number;
    case Bound::equal:
      return std::abs(actual - expected.number);
  }
  return 0;
}

}  // namespace

std::string_view name_of(Trend trend) {
  switch (trend) {
    case Trend::met:
      return "met";
    case Trend::converging:
      return "converging";
    case Trend::stalled:
      return "stalled";
    case Trend::worse:
      return "worse";
  }
  return {};
}

const CriterionCell* CriterionRow::in(AttemptNumber attempt) const {
  const auto found = std::ranges::find(cells, attempt, &CriterionCell::attempt);
  return found == cells.end() ? nullptr : &*found;
}

std::vector<CriterionRow> criteria_of(const std::vector<Attempt>& attempts) {
  std::vector<CriterionRow> rows = collected(attempts);
  const auto newest = std::ranges::find_if(attempts.rbegin(), attempts.rend(), is_judged);
  if (newest == attempts.rend()) return rows;

  const std::uint32_t epoch = attempts.back().epoch;
  if (newest->epoch == epoch) {
    const auto first = std::ranges::find(attempts, epoch, &Attempt::epoch);
    for (CriterionRow& row : rows) row.trend = trend_at(row, *newest, first->number);
  }
  const auto failed_in_newest = [&](const CriterionRow& row) {
    const CriterionCell& last = row.cells.back();
    return last.attempt == newest->number && !last.passed;
  };
  const auto failed_before = [](const CriterionRow& row) {
    return !std::ranges::all_of(row.cells, &CriterionCell::passed);
  };
  const auto others = std::ranges::stable_partition(rows, failed_in_newest);
  std::ranges::stable_partition(others, failed_before);
  return rows;
}

std::vector<AttemptNumber> attempts_in(const std::vector<CriterionRow>& rows) {
  std::set<AttemptNumber> numbers;
  for (const CriterionRow& row : rows) {
    for (const CriterionCell& cell : row.cells) numbers.insert(cell.attempt);
  }
  return {numbers.begin(), numbers.end()};
}

std::optional<double> distance_of(const CriterionCell& cell) {
  if (cell.passed) return 0.0;
  const auto expected_length = after("length", cell.expected);
  const auto actual_length = after("length", cell.actual);
  if (expected_length.has_value() != actual_length.has_value()) return std::nullopt;
  const std::optional<Expectation> expected =
      expectation_in(expected_length.value_or(cell.expected));
  const std::optional<double> actual = number_in(actual_length.value_or(cell.actual));
  if (!expected || !actual) return std::nullopt;
  const double distance = shortfall(*expected, *actual);
  const bool is_strict = expected->bound == Bound::above || expected->bound == Bound::below;
  const bool explains_failure = distance > 0 || (distance == 0 && is_strict);
  return explains_failure ? std::optional(distance) : std::nullopt;
}

std::optional<Trend> trend_of(std::span<const CriterionCell> cells) {
  if (cells.empty()) return std::nullopt;
  if (cells.back().passed) return Trend::met;
  const std::span<const CriterionCell> earlier = cells.first(cells.size() - 1);
  if (earlier.empty()) return std::nullopt;
  const std::optional<double> now = distance_of(cells.back());
  const std::optional<double> before = distance_of(earlier.back());
  if (!now || !before) return earlier.back().passed ? Trend::worse : Trend::stalled;
  if (*now > *before) return Trend::worse;
  const bool is_nearest = std::ranges::all_of(earlier, [&](const CriterionCell& cell) {
    const std::optional<double> then = distance_of(cell);
    return !then || *now < *then;
  });
  return is_nearest ? Trend::converging : Trend::stalled;
}

std::vector<NamedAssessment> named_assessments(const Attempt& attempt) {
  std::vector<NamedAssessment> all;
  add_named({}, attempt.assessments, all);
  return all;
}

std::vector<NamedCriterion> named_criteria(const Attempt& attempt) {
  std::vector<NamedCriterion> all;
  for (const NamedAssessment& one : named_assessments(attempt)) {
    for (const Criterion& criterion : one.assessment->criteria) {
      all.push_back({one.name, &criterion});
    }
  }
  if (!attempt.assessments.empty() || !attempt.feedback) return all;
  for (const Criterion& criterion : attempt.feedback->criteria) all.push_back({{}, &criterion});
  return all;
}

}  // namespace pawl::views
