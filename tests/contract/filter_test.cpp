#include "pawl/store/filter.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace pawl {
namespace {

const std::vector<FilterField>& fields() {
  static const std::vector<FilterField> known{
      {"error", FieldKind::text},        {"error_class", FieldKind::text, {"final", "retryable"}},
      {"count", FieldKind::number},      {"age", FieldKind::duration},
      {"discarded", FieldKind::boolean}, {"code", FieldKind::text},
  };
  return known;
}

const std::vector<FieldValue>& record() {
  static const std::vector<FieldValue> values{std::string("Connection TIMED out"),
                                              std::string("retryable"),
                                              3.0,
                                              Duration{std::chrono::minutes(10)},
                                              false,
                                              std::string("75")};
  return values;
}

bool matches(std::string_view text) {
  const Result<Filter> filter = parse_filter(text, fields());
  EXPECT_TRUE(filter) << text << ": " << (filter ? "" : filter.error().text());
  return filter && filter->matches([](std::size_t place) { return record()[place]; });
}

std::string fault_of(std::string_view text) {
  const Result<Filter> filter = parse_filter(text, fields());
  return filter ? "parsed as " + filter->text() : filter.error().text();
}

TEST(Filter, every_operator_does_what_it_says) {
  EXPECT_TRUE(matches(R"(error = "Connection TIMED out")"));
  EXPECT_FALSE(matches(R"(error = "connection timed out")"));
  EXPECT_TRUE(matches(R"(error != 'other')"));
  EXPECT_TRUE(matches(R"(error ~ "timed OUT")"));
  EXPECT_FALSE(matches(R"(error ~ "refused")"));
  EXPECT_TRUE(matches(R"(error_class in ("final", "retryable"))"));
  EXPECT_FALSE(matches(R"(error_class in ("final"))"));
  EXPECT_TRUE(matches("count = 3"));
  EXPECT_TRUE(matches("count>=3"));
  EXPECT_TRUE(matches("count <= 3.5"));
  EXPECT_FALSE(matches("count < 3"));
  EXPECT_FALSE(matches("count > 3"));
  EXPECT_TRUE(matches("count in (1, 2, 3)"));
  EXPECT_TRUE(matches("age < 15m"));
  EXPECT_TRUE(matches("age = 600s"));
  EXPECT_TRUE(matches("age > 0.1h"));
  EXPECT_FALSE(matches("age >= 1d"));
  EXPECT_TRUE(matches("discarded = false"));
  EXPECT_FALSE(matches("discarded"));
  EXPECT_TRUE(matches("not discarded"));
  EXPECT_TRUE(matches("code = 75"));
  EXPECT_TRUE(matches("code = '75'"));
}

TEST(Filter, not_binds_tighter_than_and_and_and_tighter_than_or) {
  EXPECT_TRUE(matches("count = 3 or count = 4 and discarded"));
  EXPECT_FALSE(matches("(count = 3 or count = 4) and discarded"));
  EXPECT_TRUE(matches("not discarded and count = 3"));
  EXPECT_FALSE(matches("not (discarded or count = 3)"));
  EXPECT_TRUE(matches("NOT discarded AND not not (count = 3)"));
}

TEST(Filter, a_malformed_one_is_an_error_that_names_the_column_and_what_was_expected) {
  EXPECT_EQ(fault_of(""), "the filter is empty; leave it out to select everything");
  EXPECT_EQ(fault_of("  \n"), "the filter is empty; leave it out to select everything");
  EXPECT_EQ(fault_of("count"),
            "filter, column 6: expected one of = != < <= > >= ~ in, found the end");
  EXPECT_EQ(fault_of("count ="), "filter, column 8: expected a number, found the end");
  EXPECT_EQ(fault_of("count = x"), "filter, column 9: expected a number, found 'x'");
  EXPECT_EQ(fault_of("count = 3s"),
            "filter, column 10: expected a number without a unit, found 's'");
  EXPECT_EQ(fault_of("count = 3 and"),
            "filter, column 14: expected a field, 'not' or '(', found the end");
  EXPECT_EQ(fault_of("count = 3 discarded"),
            "filter, column 11: expected 'and', 'or' or the end, found 'discarded'");
  EXPECT_EQ(fault_of("(count = 3"), "filter, column 11: expected ')', found the end");
  EXPECT_EQ(fault_of("count = 3)"),
            "filter, column 10: expected 'and', 'or' or the end, found ')'");
  EXPECT_EQ(fault_of("error = timeout"),
            "filter, column 9: expected a text in quotes, found 'timeout'; write \"timeout\"");
  EXPECT_EQ(fault_of("error = \"timeout"),
            "filter, column 9: the text that starts here has no closing quote");
  EXPECT_EQ(fault_of(R"(error = "a\b")"),
            R"(filter, column 11: expected an escape; write \\ for a backslash)");
  EXPECT_EQ(fault_of("error in ()"), "filter, column 11: expected a text in quotes, found ')'");
  EXPECT_EQ(fault_of("error in ('a' 'b')"), "filter, column 15: expected ',' or ')', found ''b')'");
  EXPECT_EQ(fault_of("age < 15"),
            "filter, column 9: expected a unit: us, ms, s, m, h or d, found the end");
  EXPECT_EQ(fault_of("age < 1w"),
            "filter, column 8: expected a unit: us, ms, s, m, h or d, found 'w'");
  EXPECT_EQ(fault_of("age < -1s"), "filter, column 7: expected a duration between 0 and 285 years");
  EXPECT_EQ(fault_of("error < 'a'"),
            "filter, column 7: 'error' cannot be compared with <; it is a text in quotes");
  EXPECT_EQ(fault_of("count ~ 3"),
            "filter, column 7: 'count' cannot be compared with ~; it is a number");
  EXPECT_EQ(fault_of("discarded = maybe"),
            "filter, column 13: expected true or false, found 'maybe'");
}

TEST(Filter, an_unknown_field_or_value_comes_with_a_suggestion) {
  EXPECT_EQ(fault_of("eror = 'a'"),
            "filter, column 1: no field is called 'eror'; did you mean 'error'?");
  EXPECT_EQ(fault_of("count = 1 and zzzzzz = 2"),
            "filter, column 15: no field is called 'zzzzzz'; the fields are error, error_class, "
            "count, age, discarded, code");
  EXPECT_EQ(fault_of("error_class = 'finall'"),
            "filter, column 15: 'error_class' is never 'finall'; did you mean 'final'?");
  EXPECT_EQ(fault_of("error_class in ('final', 'x')"),
            "filter, column 26: 'error_class' is never 'x'; it is one of final retryable");
}

TEST(Filter, depth_and_length_have_bounds_that_hold_at_the_limit) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "count = 3" + std::string(depth, ')');
  };
  EXPECT_TRUE(matches(nested(filter_depth_max - 1)));
  EXPECT_NE(fault_of(nested(filter_depth_max)).find("nested deeper than 64 levels"),
            std::string::npos);
  EXPECT_NE(fault_of(nested(4'000)).find("nested deeper"), std::string::npos);
  std::string negations;
  for (int i = 0; i < 1'000; ++i) negations += "not ";
  EXPECT_NE(fault_of(negations + "discarded").find("nested deeper"), std::string::npos);

  std::string longest = "error = \"";
  longest += std::string(filter_length_max - longest.size() - 1, 'x') + "\"";
  EXPECT_FALSE(matches(longest));
  EXPECT_NE(fault_of(longest + " ").find("8192 are the bound"), std::string::npos);
}

TEST(Filter, only_the_fields_the_answer_depends_on_are_read) {
  const Result<Filter> filter = parse_filter("count = 4 and error ~ 'x'", fields());
  ASSERT_TRUE(filter);
  std::vector<std::size_t> read;
  EXPECT_FALSE(filter->matches([&](std::size_t place) {
    read.push_back(place);
    return record()[place];
  }));
  EXPECT_EQ(read, std::vector<std::size_t>{2});
  EXPECT_TRUE(filter->uses(0));
  EXPECT_FALSE(filter->uses(4));
}

/// Generates random filters from the grammar.
class Author {
 public:
  explicit Author(unsigned seed) : random_(seed) {}

  std::string filter(int depth = 0) {
    switch (depth > 4 ? 3 : pick(5)) {
      case 0:
        return "(" + filter(depth + 1) + ")";
      case 1:
        return "not " + (pick(2) == 0 ? condition() : "(" + filter(depth + 1) + ")");
      case 2:
        return filter(depth + 1) + " and " + filter(depth + 1);
      case 3:
        return condition();
      default:
        return filter(depth + 1) + " or " + filter(depth + 1);
    }
  }

  std::string garbage() {
    static const std::vector<std::string> pieces{
        "error", "count", "age",  "discarded", "and",   "or",  "not", "in",  "(",
        ")",     "=",     "!=",   "<",         "~",     "\"a", "'",   "15m", "3",
        " ",     "\\",    "\xff", ",",         "1e400", "-",   "\n"};
    std::string out;
    for (int i = pick(20); i > 0; --i)
      out += pieces[static_cast<std::size_t>(pick(static_cast<int>(pieces.size())))] +
             (pick(2) == 0 ? " " : "");
    return out;
  }

  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

 private:
  std::string text() {
    std::string raw;
    for (int i = pick(6); i > 0; --i) raw += "ab\"'\\ \n~("[pick(9)];
    return quoted_for_filter(raw);
  }
  std::string condition() {
    static const std::vector<std::string> orders{"=", "!=", "<", "<=", ">", ">="};
    const std::string order = orders[static_cast<std::size_t>(pick(6))];
    switch (pick(6)) {
      case 0:
        return "error ~ " + text();
      case 1:
        return "error in (" + text() + ", " + text() + ")";
      case 2:
        return "count " + order + " " + std::to_string(pick(7) - 1) + (pick(2) == 0 ? ".25" : "");
      case 3:
        return "age " + order + " " + std::to_string(pick(900)) + (pick(2) == 0 ? "s" : "ms");
      case 4:
        return pick(2) == 0 ? "discarded" : "discarded != true";
      default:
        return "code = " + text();
    }
  }
  std::mt19937 random_;
};

// Found by fuzz/filter.cpp: the language has no exponents.
TEST(Filter, numbers_of_any_size_are_printed_as_they_are_read) {
  const FieldReader read = [](std::size_t place) { return record()[place]; };
  for (const std::string number :
       {"1000000000000000000000000", "0.00000000000000000001", "-123456789012345678901234567890"}) {
    const Result<Filter> first = parse_filter("count < " + number, fields());
    ASSERT_TRUE(first) << first.error().text();
    const Result<Filter> second = parse_filter(first->text(), fields());
    ASSERT_TRUE(second) << first->text() << "\n" << second.error().text();
    EXPECT_EQ(second->text(), first->text());
    EXPECT_EQ(second->matches(read), first->matches(read));
  }
}

TEST(Filter, printing_and_parsing_again_gives_the_same_filter) {
  Author author(20'250'111);
  for (int i = 0; i < 3'000; ++i) {
    const std::string text = author.filter();
    const Result<Filter> first = parse_filter(text, fields());
    ASSERT_TRUE(first) << text << "\n" << first.error().text();
    const Result<Filter> second = parse_filter(first->text(), fields());
    ASSERT_TRUE(second) << first->text() << "\n" << second.error().text();
    EXPECT_EQ(first->text(), second->text());
    const FieldReader read = [](std::size_t place) { return record()[place]; };
    EXPECT_EQ(first->matches(read), second->matches(read)) << text;
  }
}

TEST(Filter, random_garbage_is_refused_with_a_column_or_means_what_it_prints) {
  Author author(144);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = author.garbage();
    const Result<Filter> filter = parse_filter(text, fields());
    if (filter) {
      EXPECT_TRUE(parse_filter(filter->text(), fields())) << text;
      continue;
    }
    ++refused;
    EXPECT_EQ(filter.error().code, ErrorCode::invalid);
    EXPECT_TRUE(filter.error().message.starts_with("filter, column ") ||
                filter.error().message == "the filter is empty")
        << filter.error().message;
  }
  EXPECT_GT(refused, 15'000);
}

}  // namespace
}  // namespace pawl
