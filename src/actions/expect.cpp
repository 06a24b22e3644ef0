#include "actions/expect.hpp"

#include <algorithm>
#include <compare>
#include <optional>

#include <re2/re2.h>

#include "actions/output_types.hpp"
#include "pawl/codec/json.hpp"
#include "text/utf8.hpp"

namespace pawl::actions {

namespace {

Result<Criterion> wrong(const std::string& name, std::string_view word, const Json& bound,
                        std::string_view wants) {
  return fail(ErrorCode::invalid, "the expectation " + std::string(word) + " of " + name + " is " +
                                      shown(bound) + ", but it must be " + std::string(wants));
}

bool is_same(const Json& a, const Json& b) { return canonical(a) == canonical(b); }

/// Exact if both are integers; unordered if one is not a number.
std::partial_ordering order(const Json& a, const Json& b) {
  const auto a_integer = JsonView(a).integer();
  const auto b_integer = JsonView(b).integer();
  if (a_integer && b_integer) return *a_integer <=> *b_integer;
  const auto a_number = JsonView(a).number();
  const auto b_number = JsonView(b).number();
  if (!a_number || !b_number) return std::partial_ordering::unordered;
  return *a_number <=> *b_number;
}

/// The number of characters of a string, elements of a list or members of an object.
std::optional<std::int64_t> length_of(const Json& value) {
  if (const auto text = JsonView(value).string()) {
    return static_cast<std::int64_t>(text::count_characters(*text));
  }
  if (is_array(value)) return static_cast<std::int64_t>(elements(value).size());
  if (is_object(value)) return static_cast<std::int64_t>(members(value).size());
  return std::nullopt;
}

std::string list_text(const Json& list) {
  std::string text;
  for (const Json& element : elements(list)) text += (text.empty() ? "" : ", ") + shown(element);
  return text;
}

Result<Criterion> check_length(const std::string& name, std::string_view word, const Json& actual,
                               const Json& bound) {
  const auto limit = JsonView(bound).integer();
  if (!limit) return wrong(name, word, bound, "a whole number");
  const auto length = length_of(actual);
  const bool is_min = word == "min_length";
  return Criterion{.name = name,
                   .expected = std::string("length ") + (is_min ? ">= " : "<= ") + shown(bound),
                   .actual = length ? "length " + std::to_string(*length) : shown(actual),
                   .passed = length && (is_min ? *length >= *limit : *length <= *limit)};
}

Result<Criterion> check_one(const std::string& name, std::string_view word, const Json& actual,
                            const Json& bound) {
  Criterion made{.name = name, .expected = {}, .actual = shown(actual), .passed = false};
  if (word == "equals" || word == "not_equals") {
    const bool is_equal = word == "equals";
    made.expected = (is_equal ? "= " : "!= ") + shown(bound);
    made.passed = is_same(actual, bound) == is_equal;
  } else if (word == "at_least" || word == "at_most") {
    if (!is_number(bound)) return wrong(name, word, bound, "a number");
    const bool is_least = word == "at_least";
    made.expected = (is_least ? ">= " : "<= ") + shown(bound);
    const std::partial_ordering found = order(actual, bound);
    made.passed = is_least ? found >= 0 : found <= 0;
  } else if (word == "one_of") {
    if (!is_array(bound)) return wrong(name, word, bound, "a list");
    made.expected = "one of " + list_text(bound);
    made.passed = std::ranges::any_of(
        elements(bound), [&](const Json& element) { return is_same(actual, element); });
  } else if (word == "matches") {
    const auto pattern = JsonView(bound).string();
    if (!pattern) return wrong(name, word, bound, "a pattern");
    const re2::RE2 compiled(*pattern, re2::RE2::Quiet);
    if (!compiled.ok()) {
      return wrong(name, word, bound, "a pattern (" + compiled.error() + ")");
    }
    made.expected = "matches " + *pattern;
    const auto text = JsonView(actual).string();
    made.passed = text && re2::RE2::PartialMatch(*text, compiled);
  } else if (word == "min_length" || word == "max_length") {
    return check_length(name, word, actual, bound);
  } else if (word == "present") {
    const auto wanted = JsonView(bound).boolean();
    if (!wanted) return wrong(name, word, bound, "true or false");
    made.expected = *wanted ? "present" : "absent";
    made.actual = actual.is_null() ? "absent" : shown(actual);
    made.passed = actual.is_null() != *wanted;
  } else {
    return fail(ErrorCode::invalid, "unknown expectation \"" + std::string(word) + "\"");
  }
  return made;
}

bool is_true(const Json& value) {
  if (value.is_null()) return false;
  if (is_boolean(value)) return *JsonView(value).boolean();
  if (is_number(value)) return JsonView(value).number() != 0;
  return length_of(value) != 0;
}

/// A key of `when` names a reference, with or without ${ }.
Result<Json> value_of_key(const std::string& key, const Lookup& lookup) {
  return resolve_text(key.starts_with("${") ? key : "${" + key + "}", lookup);
}

}  // namespace

Result<std::vector<Criterion>> compare(const std::string& name, const Json& actual,
                                       const Json& wanted, const Lookup& lookup) {
  std::vector<Criterion> criteria;
  for (const auto& [word, value] : members(wanted)) {
    const Result<Json> bound = resolve_value(value, lookup);
    if (!bound) return std::unexpected(bound.error());
    Result<Criterion> one = check_one(name, word, actual, *bound);
    if (!one) return std::unexpected(one.error());
    criteria.push_back(std::move(*one));
  }
  return criteria;
}

Result<std::vector<Criterion>> expect(const Json& expectations, const Json& output,
                                      const Lookup& lookup) {
  std::vector<Criterion> criteria;
  for (const auto& [field, wanted] : members(expectations)) {
    auto some = compare(field, value_at(output, field), wanted, lookup);
    if (!some) return some;
    std::ranges::move(*some, std::back_inserter(criteria));
  }
  return criteria;
}

std::string summary_of(const std::vector<Criterion>& criteria) {
  const auto failed = std::ranges::count(criteria, false, &Criterion::passed);
  const std::string all =
      std::to_string(criteria.size()) + (criteria.size() == 1 ? " criterion" : " criteria");
  if (failed == 0 && !criteria.empty())
    return std::to_string(criteria.size()) + " of " + all + " met";
  return std::to_string(failed) + " of " + all + " not met";
}

Result<bool> holds(const Json& when, const Lookup& lookup) {
  if (when.is_null()) return true;
  if (const auto reference = JsonView(when).string()) {
    const Result<Json> value = resolve_text(*reference, lookup);
    if (!value) return std::unexpected(value.error());
    return is_true(*value);
  }
  for (const auto& [key, wanted] : members(when)) {
    const Result<Json> value = value_of_key(key, lookup);
    if (!value) return std::unexpected(value.error());
    const auto criteria = compare(key, *value, wanted, lookup);
    if (!criteria) return std::unexpected(criteria.error());
    if (!std::ranges::all_of(*criteria, &Criterion::passed)) return false;
  }
  return true;
}

}  // namespace pawl::actions
