#include "pawl/store/filter.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "pawl/core/workflow.hpp"
#include "text/durations.hpp"

namespace pawl {

namespace {

enum class Comparison : std::uint8_t { equal, unequal, less, at_most, greater, at_least, contains };

struct ComparisonSign {
  Comparison comparison;
  std::string_view sign;
};
// Longer signs first, so that "<=" is not read as "<".
constexpr std::array<ComparisonSign, 7> signs{{{Comparison::unequal, "!="},
                                               {Comparison::at_most, "<="},
                                               {Comparison::at_least, ">="},
                                               {Comparison::equal, "="},
                                               {Comparison::less, "<"},
                                               {Comparison::greater, ">"},
                                               {Comparison::contains, "~"}}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool contains_ignoring_case(std::string_view text, std::string_view lowered_part) {
  return !std::ranges::search(text, lowered_part, {}, lower).empty() || lowered_part.empty();
}

/// Without an exponent, which the language does not have.
std::string shortest(double value) {
  std::array<char, 400> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed)
          .ptr;
  return {buffer.data(), end};
}

std::string printed(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted_for_filter(*text);
  if (const auto* number = std::get_if<double>(&value)) return shortest(*number);
  if (const auto* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
  return text::in_one_unit(std::get<Duration>(value));
}

std::string_view words_for(FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
      return "a text in quotes";
    case FieldKind::number:
      return "a number";
    case FieldKind::duration:
      return "a duration such as 15m";
    case FieldKind::boolean:
      return "true or false";
  }
  return "";
}

}  // namespace

struct Filter::Node {
  enum class Kind : std::uint8_t { all_of, any_of, negation, comparison, one_of };
  Kind kind{};
  std::vector<Node> parts;  ///< of all_of, any_of and negation
  std::size_t field = 0;
  std::string field_name;
  Comparison comparison{};
  std::vector<FieldValue> values;  ///< one for a comparison
};

namespace {

using Node = Filter::Node;

bool compare(Comparison comparison, const FieldValue& left, const FieldValue& right) {
  switch (comparison) {
    case Comparison::equal:
      return left == right;
    case Comparison::unequal:
      return left != right;
    case Comparison::less:
      return left < right;
    case Comparison::at_most:
      return left <= right;
    case Comparison::greater:
      return left > right;
    case Comparison::at_least:
      return left >= right;
    case Comparison::contains: {
      const auto* text = std::get_if<std::string>(&left);
      const auto* part = std::get_if<std::string>(&right);
      return text != nullptr && part != nullptr && contains_ignoring_case(*text, lowered(*part));
    }
  }
  return false;
}

bool holds(const Node& node, const FieldReader& read) {
  const auto part_holds = [&](const Node& part) { return holds(part, read); };
  switch (node.kind) {
    case Node::Kind::all_of:
      return std::ranges::all_of(node.parts, part_holds);
    case Node::Kind::any_of:
      return std::ranges::any_of(node.parts, part_holds);
    case Node::Kind::negation:
      return !holds(node.parts.front(), read);
    case Node::Kind::comparison:
      return compare(node.comparison, read(node.field), node.values.front());
    case Node::Kind::one_of: {
      const FieldValue value = read(node.field);
      return std::ranges::find(node.values, value) != node.values.end();
    }
  }
  return false;
}

bool mentions(const Node& node, std::size_t field) {
  if (node.parts.empty()) return node.field == field;
  return std::ranges::any_of(node.parts, [&](const Node& part) { return mentions(part, field); });
}

/// How tight a node binds; a part that binds looser than its parent needs parentheses.
int tightness(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::any_of:
      return 0;
    case Node::Kind::all_of:
      return 1;
    case Node::Kind::negation:
      return 2;
    case Node::Kind::comparison:
    case Node::Kind::one_of:
      return 3;
  }
  return 0;
}

void print(std::string& out, const Node& node) {
  const auto print_part = [&](const Node& part) {
    // An `and` inside an `and` keeps its parentheses: the tree is printed as it was written.
    const bool bracketed = tightness(part.kind) <= tightness(node.kind) &&
                           !(part.kind == Node::Kind::negation && node.kind == part.kind);
    if (bracketed) out += '(';
    print(out, part);
    if (bracketed) out += ')';
  };
  switch (node.kind) {
    case Node::Kind::all_of:
    case Node::Kind::any_of:
      for (bool first = true; const Node& part : node.parts) {
        if (!std::exchange(first, false)) {
          out += node.kind == Node::Kind::all_of ? " and " : " or ";
        }
        print_part(part);
      }
      return;
    case Node::Kind::negation:
      out += "not ";
      print_part(node.parts.front());
      return;
    case Node::Kind::comparison: {
      const auto* sign = std::ranges::find(signs, node.comparison, &ComparisonSign::comparison);
      out += node.field_name + ' ' + std::string(sign->sign) + ' ' + printed(node.values.front());
      return;
    }
    case Node::Kind::one_of:
      out += node.field_name + " in (";
      for (bool first = true; const FieldValue& value : node.values) {
        if (!std::exchange(first, false)) out += ", ";
        out += printed(value);
      }
      out += ')';
      return;
  }
}

/// Recursive descent over the text; the first fault ends it.
class Parser {
 public:
  Parser(std::string_view text, std::span<const FilterField> fields)
      : text_(text), fields_(fields) {}

  Result<Node> parse() {
    if (text_.size() > filter_length_max) {
      return fail(ErrorCode::invalid, "the filter has " + std::to_string(text_.size()) +
                                          " bytes, where " + std::to_string(filter_length_max) +
                                          " are the bound");
    }
    skip_space();
    if (at_end()) {
      return fail(ErrorCode::invalid, "the filter is empty", "leave it out to select everything");
    }
    Result<Node> root = alternatives(0);
    if (!root) return root;
    skip_space();
    if (!at_end()) return expected("'and', 'or' or the end");
    return root;
  }

 private:
  [[nodiscard]] bool at_end() const { return place_ >= text_.size(); }
  [[nodiscard]] char here() const { return at_end() ? '\0' : text_[place_]; }
  void skip_space() {
    while (!at_end() && (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r')) {
      ++place_;
    }
  }

  [[nodiscard]] std::unexpected<Error> fault(std::size_t place, const std::string& what,
                                             std::string help = {}) const {
    return fail(ErrorCode::invalid, "filter, column " + std::to_string(place + 1) + ": " + what,
                std::move(help));
  }
  [[nodiscard]] std::unexpected<Error> expected(std::string_view what,
                                                std::string help = {}) const {
    std::size_t end = place_;
    while (end < text_.size() && end < place_ + 20 && text_[end] != ' ') ++end;
    const std::string found =
        at_end() ? "the end" : "'" + std::string(text_.substr(place_, end - place_)) + "'";
    return fault(place_, "expected " + std::string(what) + ", found " + found, std::move(help));
  }

  /// The word that starts here, not consumed; empty when there is none.
  [[nodiscard]] std::string_view word() const {
    std::size_t end = place_;
    if (end < text_.size() && is_letter(text_[end])) {
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    }
    return text_.substr(place_, end - place_);
  }
  bool take_word(std::string_view wanted) {
    skip_space();
    if (lowered(word()) != wanted) return false;
    place_ += wanted.size();
    return true;
  }
  bool take(char wanted) {
    skip_space();
    if (here() != wanted || at_end()) return false;
    ++place_;
    return true;
  }

  Result<Node> alternatives(std::size_t depth) {
    return chain(depth, "or", Node::Kind::any_of, &Parser::conditions);
  }
  Result<Node> conditions(std::size_t depth) {
    return chain(depth, "and", Node::Kind::all_of, &Parser::condition);
  }
  /// One or more parts joined by a word. A single part stands for itself.
  Result<Node> chain(std::size_t depth, std::string_view joiner, Node::Kind kind,
                     Result<Node> (Parser::*part)(std::size_t)) {
    Node node{.kind = kind};
    do {
      Result<Node> parsed = (this->*part)(depth);
      if (!parsed) return parsed;
      node.parts.push_back(std::move(*parsed));
    } while (take_word(joiner));
    if (node.parts.size() == 1) return std::move(node.parts.front());
    return node;
  }

  Result<Node> condition(std::size_t depth) {
    skip_space();
    if (depth >= filter_depth_max) {
      return fault(place_, "nested deeper than " + std::to_string(filter_depth_max) + " levels");
    }
    if (take_word("not")) {
      Result<Node> inner = condition(depth + 1);
      if (!inner) return inner;
      Node node{.kind = Node::Kind::negation};
      node.parts.push_back(std::move(*inner));
      return node;
    }
    if (take('(')) {
      Result<Node> inner = alternatives(depth + 1);
      if (!inner) return inner;
      if (!take(')')) return expected("')'");
      return inner;
    }
    return comparison();
  }

  Result<std::size_t> field() {
    const std::string_view name = word();
    if (name.empty()) return expected("a field, 'not' or '('");
    const auto known = std::ranges::find(fields_, name, &FilterField::name);
    if (known != fields_.end()) {
      place_ += name.size();
      return static_cast<std::size_t>(known - fields_.begin());
    }
    std::vector<std::string> names;
    for (const FilterField& each : fields_) names.push_back(each.name);
    const std::string near = nearest_name(name, names);
    std::string help = "did you mean '" + near + "'?";
    if (near.empty()) {
      help = "the fields are ";
      for (const std::string& each : names) help += each + (&each == &names.back() ? "" : ", ");
    }
    return fault(place_, "no field is called '" + std::string(name) + "'", std::move(help));
  }

  Result<Node> comparison() {
    const Result<std::size_t> place = field();
    if (!place) return std::unexpected(place.error());
    const FilterField& which = fields_[*place];
    Node node{.kind = Node::Kind::comparison, .field = *place, .field_name = which.name};
    if (take_word("in")) return list(std::move(node), which);

    skip_space();
    const std::string_view rest = text_.substr(place_);
    const auto* sign = std::ranges::find_if(
        signs, [&](const ComparisonSign& each) { return rest.starts_with(each.sign); });
    if (sign == signs.end()) {
      if (which.kind != FieldKind::boolean) return expected("one of = != < <= > >= ~ in");
      node.comparison = Comparison::equal;
      node.values.emplace_back(true);
      return node;
    }
    const bool ordered =
        sign->comparison >= Comparison::less && sign->comparison <= Comparison::at_least;
    const bool has_order = which.kind == FieldKind::number || which.kind == FieldKind::duration;
    if ((ordered && !has_order) ||
        (sign->comparison == Comparison::contains && which.kind != FieldKind::text)) {
      return fault(place_,
                   "'" + which.name + "' cannot be compared with " + std::string(sign->sign),
                   "it is " + std::string(words_for(which.kind)));
    }
    node.comparison = sign->comparison;
    place_ += sign->sign.size();
    Result<FieldValue> read = value(which, sign->comparison != Comparison::contains);
    if (!read) return std::unexpected(std::move(read.error()));
    node.values.push_back(std::move(*read));
    return node;
  }

  Result<Node> list(Node node, const FilterField& which) {
    node.kind = Node::Kind::one_of;
    if (!take('(')) return expected("'(' and a list of values");
    do {
      Result<FieldValue> read = value(which, true);
      if (!read) return std::unexpected(std::move(read.error()));
      node.values.push_back(std::move(*read));
    } while (take(','));
    if (!take(')')) return expected("',' or ')'");
    return node;
  }

  /// A value of the field's kind; `whole` when it stands for the field's whole value.
  Result<FieldValue> value(const FilterField& which, bool whole) {
    skip_space();
    const std::size_t start = place_;
    switch (which.kind) {
      case FieldKind::text: {
        Result<std::string> text = quoted_or_number();
        if (!text) return std::unexpected(std::move(text.error()));
        if (whole && !which.values.empty() &&
            std::ranges::find(which.values, *text) == which.values.end()) {
          return unknown_value(start, which, *text);
        }
        return FieldValue{std::move(*text)};
      }
      case FieldKind::number:
      case FieldKind::duration:
        return quantity(which.kind);
      case FieldKind::boolean:
        if (take_word("true")) return FieldValue{true};
        if (take_word("false")) return FieldValue{false};
        return expected(words_for(which.kind));
    }
    return expected("a value");
  }

  [[nodiscard]] std::unexpected<Error> unknown_value(std::size_t start, const FilterField& which,
                                                     const std::string& text) const {
    const std::string near = nearest_name(text, which.values);
    std::string help = near.empty() ? "it is one of" : "did you mean '" + near + "'?";
    if (near.empty()) {
      for (const std::string& each : which.values) help += " " + each;
    }
    return fault(start, "'" + which.name + "' is never '" + text + "'", std::move(help));
  }

  /// A text in quotes, or digits: `code = 75` needs none.
  Result<std::string> quoted_or_number() {
    const char quote = here();
    if (is_digit(quote)) {
      const std::size_t start = place_;
      while (is_digit(here())) ++place_;
      if (is_letter(here())) {
        place_ = start;
        return expected(words_for(FieldKind::text));
      }
      return std::string(text_.substr(start, place_ - start));
    }
    if (quote != '"' && quote != '\'') {
      const std::string_view bare = word();
      return expected(words_for(FieldKind::text),
                      bare.empty() ? "" : "write " + quoted_for_filter(bare));
    }
    const std::size_t start = place_++;
    std::string out;
    while (!at_end() && here() != quote) {
      char c = text_[place_++];
      if (c == '\\') {
        constexpr std::string_view escapes = "\\\"'ntr";
        constexpr std::string_view meanings = "\\\"'\n\t\r";
        const std::size_t which = at_end() ? std::string_view::npos : escapes.find(here());
        if (which == std::string_view::npos) {
          return fault(place_ - 1, "expected an escape", R"(write \\ for a backslash)");
        }
        c = meanings[which];
        ++place_;
      }
      out += c;
    }
    if (at_end()) return fault(start, "the text that starts here has no closing quote");
    ++place_;
    return out;
  }

  Result<FieldValue> quantity(FieldKind kind) {
    const std::size_t start = place_;
    double number = 0;
    const char* const first = text_.data() + place_;
    const char* const last = text_.data() + text_.size();
    const bool begins = here() == '-' || is_digit(here());
    const auto read = std::from_chars(first, last, number, std::chars_format::fixed);
    if (!begins || read.ec != std::errc{} || !std::isfinite(number))
      return expected(words_for(kind));
    place_ += static_cast<std::size_t>(read.ptr - first);
    if (kind == FieldKind::number) {
      if (is_letter(here())) return expected("a number without a unit");
      return FieldValue{number};
    }
    const std::string_view name = word();
    const std::optional<Duration> unit = text::unit_of_time(name);
    if (!unit) return expected("a unit: us, ms, s, m, h or d");
    place_ += name.size();
    const std::optional<Duration> duration = text::duration_of(number, *unit);
    if (!duration) return fault(start, "expected a duration between 0 and 285 years");
    return FieldValue{*duration};
  }

  std::string_view text_;
  std::span<const FilterField> fields_;
  std::size_t place_ = 0;
};

}  // namespace

bool Filter::matches(const FieldReader& read) const { return holds(*root_, read); }
bool Filter::uses(std::size_t field) const { return mentions(*root_, field); }

std::string Filter::text() const {
  std::string out;
  print(out, *root_);
  return out;
}

Result<Filter> parse_filter(std::string_view text, std::span<const FilterField> fields) {
  Result<Node> root = Parser(text, fields).parse();
  if (!root) return std::unexpected(std::move(root.error()));
  return Filter(std::make_shared<const Node>(std::move(*root)));
}

std::string quoted_for_filter(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += c;
    }
  }
  return out + '"';
}

}  // namespace pawl
