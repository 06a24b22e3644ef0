#include "text/line_edits.hpp"

#include <gtest/gtest.h>

namespace pawl::text {
namespace {

using Lines = std::vector<std::string>;

std::string drawn(const Lines& before, const Lines& after) {
  std::string out;
  for (const LineEdit& edit : line_edits(before, after)) {
    out += " -+"[static_cast<std::size_t>(edit.kind)] + *edit.line;
  }
  return out;
}

TEST(LineEdits, are_the_fewest_that_turn_one_text_into_the_other) {
  EXPECT_EQ(drawn({"a", "b", "c"}, {"a", "c"}), " a-b c");
  EXPECT_EQ(drawn({"a", "b"}, {"a", "x", "b", "y"}), " a+x b+y");
  EXPECT_EQ(drawn({}, {"a"}), "+a");
  EXPECT_EQ(drawn({"a"}, {}), "-a");
  EXPECT_EQ(drawn({"a", "b"}, {"a", "b"}), " a b");
}

TEST(LineEdits, of_long_texts_with_little_in_common_replace_everything_between) {
  Lines before{"first"};
  Lines after{"first"};
  for (int i = 0; i < 3'000; ++i) {
    before.push_back("old " + std::to_string(i));
    after.push_back("new " + std::to_string(i));
  }
  before[1'500] = after[1'500] = "common";
  before.emplace_back("last");
  after.emplace_back("last");
  const std::vector<LineEdit> edits = line_edits(before, after);
  ASSERT_EQ(edits.size(), 6'002U);
  EXPECT_EQ(edits.front().kind, EditKind::kept);
  EXPECT_EQ(edits[1'500].kind, EditKind::removed);
  EXPECT_EQ(edits.back().kind, EditKind::kept);
}

}  // namespace
}  // namespace pawl::text
