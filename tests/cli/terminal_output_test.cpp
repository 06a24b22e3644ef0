#include "cli/output/terminal_output.hpp"

#include <ostream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

/// What arrives when these pieces are written one after the other.
std::string sent(bool is_terminal, const std::vector<std::string>& pieces, bool flushes = false) {
  std::ostringstream stream;
  {
    std::ostream out(stream.rdbuf());
    const SafeOutput safe(out, is_terminal);
    for (const std::string& piece : pieces) {
      out << piece;
      if (flushes) out << std::flush;
    }
  }
  return stream.str();
}

TEST(SafeOutput, escapes_on_a_terminal_whatever_a_command_forgot) {
  EXPECT_EQ(sent(true, {"a\x1b[2J\x07\u202e\r\n\tb\xff"}),
            "a\\u001b[2J\\u0007\\u202e\\r\n\tb\uFFFD");
}

TEST(SafeOutput, leaves_bytes_alone_elsewhere) {
  const std::string bytes("a\x1b[2J\0\xff\u202e", 11);
  EXPECT_EQ(sent(false, {bytes}), bytes);
  std::vector<std::string> single;
  for (const char c : bytes) single.emplace_back(1, c);
  EXPECT_EQ(sent(false, single), bytes);
}

TEST(SafeOutput, sends_our_own_sequences_in_both_cases) {
  const std::string painted = control_sequence("31m") + "x" + control_sequence("0m");
  for (const bool is_terminal : {true, false}) {
    EXPECT_EQ(sent(is_terminal, {painted}), "\x1b[31mx\x1b[0m");
  }
  EXPECT_EQ(sent(true, {with_own_sequences("\x1b[1;31merror\x1b[0m")}), "\x1b[1;31merror\x1b[0m");
}

TEST(SafeOutput, takes_no_text_from_outside_for_our_own) {
  std::string other = control_sequence("31m");
  other[5] = other[5] == '0' ? '1' : '0';
  for (const std::string& forged : {std::string("\x1b[31m"), other, std::string("\x1b")}) {
    EXPECT_EQ(sent(true, {forged}).find('\x1b'), std::string::npos);
  }
}

TEST(SafeOutput, does_not_care_where_a_text_is_cut) {
  const std::string text =
      "日本 \u202e" + control_sequence("1m") + "x" + control_sequence("0m") + " 👩‍👧";
  std::vector<std::string> single;
  for (const char c : text) single.emplace_back(1, c);
  EXPECT_EQ(sent(true, single), "日本 \\u202e\x1b[1mx\x1b[0m 👩‍👧");
}

TEST(SafeOutput, sends_what_was_kept_back_when_it_is_flushed) {
  EXPECT_EQ(sent(true, {"a\xe6", "b"}, true), "a\uFFFDb");
  EXPECT_EQ(sent(true, {"a\xe6"}), "a\uFFFD");
  EXPECT_EQ(sent(true, {"a\x1b"}), "a\\u001b");
}

TEST(SafeOutput, tells_the_stream_that_nothing_can_be_written) {
  struct Full : std::streambuf {
    int_type overflow(int_type) override { return traits_type::eof(); }
  } full;
  std::ostream out(&full);
  const SafeOutput safe(out, false);
  out << "x" << std::flush;
  EXPECT_FALSE(out);
}

}  // namespace
}  // namespace pawl::cli
