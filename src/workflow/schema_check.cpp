#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "pawl/codec/json.hpp"
#include "text/utf8.hpp"
#include "workflow/schema_rules.hpp"

namespace pawl::workflow {

namespace {

using Kind = JsonTree::Kind;

constexpr std::size_t findings_max = 100;
constexpr std::size_t depth_max = 200;
/// Limit of one check: a schema that refers to itself can require an unbounded amount of work.
constexpr std::size_t steps_max = 2'000'000;
constexpr std::size_t shown_max = 80;

std::string shortened(const std::string& text) {
  if (text.size() <= shown_max) return text;
  std::size_t end = shown_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

std::string in_digits(long double number) {
  const bool is_whole = std::floor(number) == number && std::abs(number) < 9.0e18L;
  return is_whole ? std::to_string(static_cast<std::int64_t>(number))
                  : Json(static_cast<double>(number)).text();
}

std::string counted(long double count, std::string_view one, std::string_view many) {
  return in_digits(count) + " " + std::string(count == 1 ? one : many);
}

std::string_view in_words(SchemaType type) {
  switch (type) {
    case SchemaType::null:
      return "null";
    case SchemaType::boolean:
      return "true or false";
    case SchemaType::integer:
      return "an integer";
    case SchemaType::number:
      return "a number";
    case SchemaType::string:
      return "text";
    case SchemaType::array:
      return "a list";
    case SchemaType::object:
      return "an object";
  }
  return "";
}

bool is_of(const JsonTree& value, SchemaType type) {
  switch (type) {
    case SchemaType::null:
      return value.kind == Kind::null;
    case SchemaType::boolean:
      return value.kind == Kind::boolean;
    case SchemaType::integer:
      return value.is_whole();
    case SchemaType::number:
      return value.kind == Kind::number;
    case SchemaType::string:
      return value.kind == Kind::string;
    case SchemaType::array:
      return value.kind == Kind::array;
    case SchemaType::object:
      return value.kind == Kind::object;
  }
  return false;
}

long double characters_in(std::string_view text) {
  return static_cast<long double>(text::count_characters(text));
}

/// 0.0075 is 75 times 0.0001, and 12391239123 is a multiple of 1e-8, but not in binary floating
/// point.
bool is_multiple(long double number, long double of) {
  constexpr long double tolerance = 1e-9L;
  const long double pieces = 1 / of;
  const bool divides_one = of < 1 && std::abs(pieces - std::round(pieces)) <= pieces * 1e-15L;
  if (divides_one && std::floor(number) == number) return true;
  const long double rest = std::fmod(std::abs(number), of);
  return rest <= of * tolerance || of - rest <= of * tolerance;
}

bool matches(const re2::RE2& pattern, const std::string& text) {
  return re2::RE2::PartialMatch(text, pattern);
}

std::string element_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string member_path(const std::string& path, const std::string& key) {
  const bool is_plain = !key.empty() && key.find_first_of(".[]\" ") == std::string::npos;
  if (!is_plain) return path + "[" + Json(key).text() + "]";
  return path.empty() ? key : path + "." + key;
}

class Check {
 public:
  std::vector<SchemaFinding> run(const SchemaRule& rule, const JsonTree& value) {
    check(rule, value, "");
    if (is_endless_) {
      return {{.expected = "a schema that comes to an end",
               .actual = shortened(value.json.text()),
               .message = "the schema refers to itself too often to be checked"}};
    }
    return std::move(findings_);
  }

 private:
  void find(const std::string& path, const JsonTree& value, std::string expected) {
    find_actual(path, shortened(value.json.text()), std::move(expected));
  }
  void find_actual(const std::string& path, std::string actual, std::string expected) {
    std::string message =
        (path.empty() ? "the value" : path) + " must be " + expected + ", not " + actual;
    add({path, std::move(expected), std::move(actual), std::move(message)});
  }
  void add(SchemaFinding finding) {
    if (findings_.size() < findings_max) findings_.push_back(std::move(finding));
  }

  /// The findings of `rule`, without adding them to the result.
  std::vector<SchemaFinding> findings_of(const SchemaRule& rule, const JsonTree& value,
                                         const std::string& path) {
    std::vector<SchemaFinding> outer = std::exchange(findings_, {});
    check(rule, value, path);
    return std::exchange(findings_, std::move(outer));
  }
  bool fits(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    return findings_of(rule, value, path).empty();
  }

  void check(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    if (is_endless_ || findings_.size() >= findings_max) return;
    if (++steps_ > steps_max || depth_ >= depth_max) {
      is_endless_ = true;
      return;
    }
    ++depth_;
    check_here(rule, value, path);
    --depth_;
  }

  void check_here(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    if (rule.is_never) {
      add({path, "nothing", shortened(value.json.text()),
           (path.empty() ? "the value" : path) + " is not allowed"});
      return;
    }
    if (rule.reference != nullptr) check(*rule.reference, value, path);
    // If the type is wrong, the other checks have nothing useful to add.
    if (!check_type(rule, value, path)) return;
    check_choices(rule, value, path);
    switch (value.kind) {
      case Kind::number:
        check_number(rule, value, path);
        break;
      case Kind::string:
        check_string(rule, value, path);
        break;
      case Kind::array:
        check_array(rule, value, path);
        break;
      case Kind::object:
        check_object(rule, value, path);
        break;
      case Kind::null:
      case Kind::boolean:
        break;
    }
    check_combinations(rule, value, path);
  }

  bool check_type(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    const bool fits = rule.types.empty() || std::ranges::any_of(rule.types, [&](SchemaType type) {
                        return is_of(value, type);
                      });
    if (fits) return true;
    std::string expected;
    for (const SchemaType type : rule.types) {
      if (!expected.empty()) expected += " or ";
      expected += in_words(type);
    }
    find(path, value, expected);
    return false;
  }

  void check_choices(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    if (!rule.choices) return;
    const std::string mine = canonical(value.json).text();
    if (std::ranges::find(*rule.choices, mine, &SchemaRule::Choice::canonical) !=
        rule.choices->end()) {
      return;
    }
    std::string expected = rule.choices->size() == 1 ? "" : "one of ";
    for (const SchemaRule::Choice& choice : *rule.choices) {
      if (&choice != &rule.choices->front()) expected += ", ";
      expected += choice.shown;
      if (expected.size() > 4 * shown_max) {
        expected += ", …";
        break;
      }
    }
    find(path, value, expected);
  }

  void check_number(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    const auto wants = [&](std::string_view sign, const std::optional<long double>& bound,
                           auto is_fine) {
      if (bound && !is_fine(value.number, *bound)) {
        find(path, value, std::string(sign) + " " + in_digits(*bound));
      }
    };
    wants(">=", rule.number.min, std::greater_equal<>());
    wants("<=", rule.number.max, std::less_equal<>());
    wants(">", rule.beyond.min, std::greater<>());
    wants("<", rule.beyond.max, std::less<>());
    wants("a multiple of", rule.multiple_of, is_multiple);
  }

  void check_count(const SchemaRule::Limits& limits, long double count, std::string_view one,
                   std::string_view many, const std::string& path) {
    const std::string actual = counted(count, one, many);
    if (limits.min && count < *limits.min) {
      find_actual(path, actual, "at least " + counted(*limits.min, one, many) + " long");
    }
    if (limits.max && count > *limits.max) {
      find_actual(path, actual, "at most " + counted(*limits.max, one, many) + " long");
    }
  }

  void check_string(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    check_count(rule.length, characters_in(value.text), "character", "characters", path);
    if (rule.pattern && !matches(*rule.pattern, value.text)) {
      find(path, value, "text that matches " + rule.pattern->pattern());
    }
  }

  void check_array(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    const std::vector<JsonTree>& elements = value.elements;
    check_count(rule.element_count, static_cast<long double>(elements.size()), "element",
                "elements", path);
    if (rule.are_elements_unique) check_unique(value, path);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const SchemaRule* const its =
          i < rule.first_elements.size() ? rule.first_elements[i] : rule.elements;
      if (its != nullptr) check(*its, elements[i], element_path(path, i));
    }
    if (rule.contains != nullptr) check_contains(rule, value, path);
  }

  void check_unique(const JsonTree& value, const std::string& path) {
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      if (seen.insert(canonical(value.elements[i].json).text()).second) continue;
      find(element_path(path, i), value.elements[i], "different from those before it");
    }
  }

  void check_contains(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    long double count = 0;
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      if (fits(*rule.contains, value.elements[i], element_path(path, i))) ++count;
    }
    const long double min = rule.contains_count.min.value_or(1);
    const std::string actual = in_digits(count);
    if (count < min) {
      find_actual(path, actual,
                  "a list with at least " + in_digits(min) + " of the wanted elements");
    }
    if (rule.contains_count.max && count > *rule.contains_count.max) {
      find_actual(path, actual,
                  "a list with at most " + in_digits(*rule.contains_count.max) +
                      " of the counted elements");
    }
  }

  void require_member(const JsonTree& value, const std::string& key, const std::string& path) {
    if (value.find(key) != nullptr) return;
    add({member_path(path, key), "a value", "nothing", member_path(path, key) + " is missing"});
  }

  void check_object(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    check_count(rule.member_count, static_cast<long double>(value.members.size()), "member",
                "members", path);
    for (const std::string& key : rule.required) require_member(value, key, path);
    for (const auto& [key, member] : value.members) {
      check_member(rule, key, member, member_path(path, key));
    }
    for (const SchemaRule::Dependency& dependency : rule.dependencies) {
      if (value.find(dependency.key) == nullptr) continue;
      for (const std::string& key : dependency.required) require_member(value, key, path);
      if (dependency.rule != nullptr) check(*dependency.rule, value, path);
    }
  }

  void check_member(const SchemaRule& rule, const std::string& key, const JsonTree& member,
                    const std::string& path) {
    if (rule.member_names != nullptr) {
      check(*rule.member_names, JsonTree{.kind = Kind::string, .json = key, .text = key}, path);
    }
    bool is_named = false;
    const auto named =
        std::ranges::find(rule.members, key, &std::pair<std::string, const SchemaRule*>::first);
    if (named != rule.members.end()) {
      is_named = true;
      check(*named->second, member, path);
    }
    for (const auto& [pattern, its] : rule.members_by_pattern) {
      if (!matches(*pattern, key)) continue;
      is_named = true;
      check(*its, member, path);
    }
    if (!is_named && rule.other_members != nullptr) check(*rule.other_members, member, path);
  }

  void check_combinations(const SchemaRule& rule, const JsonTree& value, const std::string& path) {
    for (const SchemaRule* const each : rule.all_of) check(*each, value, path);
    if (!rule.any_of.empty()) check_alternatives(rule.any_of, false, value, path);
    if (!rule.one_of.empty()) check_alternatives(rule.one_of, true, value, path);
    if (rule.negated != nullptr && fits(*rule.negated, value, path)) {
      find(path, value, "something else than what the schema forbids");
    }
    if (rule.condition != nullptr) {
      const SchemaRule* const follows =
          fits(*rule.condition, value, path) ? rule.then_rule : rule.else_rule;
      if (follows != nullptr) check(*follows, value, path);
    }
  }

  void check_alternatives(const std::vector<const SchemaRule*>& rules, bool is_exclusive,
                          const JsonTree& value, const std::string& path) {
    std::size_t fitting = 0;
    std::vector<SchemaFinding> nearest;
    for (const SchemaRule* const each : rules) {
      std::vector<SchemaFinding> findings = findings_of(*each, value, path);
      if (is_endless_) return;
      if (findings.empty()) {
        ++fitting;
        if (!is_exclusive) return;
      } else if (nearest.empty() || findings.size() < nearest.size()) {
        nearest = std::move(findings);
      }
    }
    if (fitting == 1) return;
    const std::string count = std::to_string(rules.size());
    if (fitting > 1) {
      find_actual(path, "as " + std::to_string(fitting) + " of them have it",
                  "as exactly one of " + count + " alternatives has it");
      return;
    }
    add({path, "one of " + count + " alternatives", shortened(value.json.text()),
         (path.empty() ? "the value" : path) + " fits none of " + count +
             " alternatives; in the nearest, " + nearest.front().message});
  }

  std::vector<SchemaFinding> findings_;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
  bool is_endless_ = false;
};

}  // namespace

std::vector<SchemaFinding> check_value(const SchemaRules& rules, const Json& value) {
  return Check().run(*rules.root, tree_of(value));
}

}  // namespace pawl::workflow
