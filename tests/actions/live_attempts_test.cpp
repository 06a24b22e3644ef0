#include "actions/live_attempts.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "temporary_folder.hpp"

namespace pawl::actions {
namespace {

namespace fs = std::filesystem;

/// A run directory with the scratch directory of attempt 2 of task 65537.
class Live : public ::testing::Test {
 protected:
  Live() { fs::create_directories(place); }

  void write(const fs::path& path, const std::string& text) const {
    std::ofstream(path, std::ios::binary) << text;
  }
  [[nodiscard]] LiveAttempts live() const { return {folder.path() / "run", true}; }
  [[nodiscard]] LiveReport report() const {
    const std::vector<ReportingAttempt> all = live().reports();
    return all.empty() ? LiveReport{} : all.front().report;
  }

  TemporaryFolder folder;
  const fs::path place = folder.path() / "run" / "4711-0123abcd" / "65537-2";
  const TaskId task{65537};
};

TEST_F(Live, logs_are_read_from_any_byte_on) {
  write(place / "stdout", "first\nsecond\n");
  EXPECT_EQ(live().log(task, 2, "stdout"), "first\nsecond\n");
  EXPECT_EQ(live().log(task, 2, "stdout", 6), "second\n");
  EXPECT_EQ(live().log(task, 2, "stdout", 600), "");
  EXPECT_EQ(live().log(task, 2, "stderr"), "");
  EXPECT_TRUE(live().has(task, 2));
  EXPECT_FALSE(live().has(task, 1));
  EXPECT_EQ(live().log(task, 1, "stdout"), "");
}

TEST_F(Live, reports_have_the_newest_progress_and_message) {
  write(place / "events.jsonl",
        "{\"progress\":0.1,\"message\":\"begins\"}\nnot json\n{\"progress\":0.5}\n[1]\n"
        "{\"progress\":\"much\"}\n{\"progress\":0.6,");
  ASSERT_EQ(live().reports().size(), 1U);
  EXPECT_EQ(live().reports().front().task, task);
  EXPECT_EQ(live().reports().front().attempt, 2U);
  EXPECT_EQ(report().progress, 0.5);
  EXPECT_EQ(report().message, "begins");
}

TEST_F(Live, progress_outside_of_0_to_1_is_ignored) {
  for (const char* const wrong : {"1.01", "250", "-0.1", "1e400", "NaN", "\"0.9\"", "true"}) {
    SCOPED_TRACE(wrong);
    const std::string line = "{\"progress\":" + std::string(wrong) + "}\n";
    write(place / "events.jsonl", line);
    EXPECT_TRUE(report().is_empty());
    write(place / "events.jsonl", "{\"progress\":0.25}\n" + line);
    EXPECT_EQ(report().progress, 0.25);
  }
  for (const char* const right : {"0", "1", "0.5"}) {
    write(place / "events.jsonl", "{\"progress\":" + std::string(right) + "}\n");
    EXPECT_EQ(report().progress, std::stod(right));
  }
}

TEST_F(Live, only_the_end_of_a_long_file_and_of_a_long_message_is_read) {
  write(place / "events.jsonl", "{\"message\":\"old\"}\n" + std::string(100'000, 'x') +
                                    "\n{\"message\":\"" + std::string(5'000, 'y') + "\"}\n");
  EXPECT_EQ(report().message, std::string(500, 'y'));
  write(place / "events.jsonl", "{\"message\":\"old\"}\n" + std::string(100'000, '\n'));
  EXPECT_TRUE(report().is_empty());
}

TEST_F(Live, links_pipes_and_directories_are_not_read) {
  write(folder.path() / "secret", "{\"message\":\"secret\"}\n");
  fs::create_symlink(folder.path() / "secret", place / "events.jsonl");
  fs::create_symlink(folder.path() / "secret", place / "stderr");
  ASSERT_EQ(::mkfifo((place / "stdout").c_str(), 0600), 0);
  EXPECT_TRUE(live().reports().empty());
  EXPECT_EQ(live().log(task, 2, "stdout"), "");
  EXPECT_EQ(live().log(task, 2, "stderr"), "");
}

TEST_F(Live, other_names_are_not_attempts) {
  for (const char* const name : {"65537-2gate", "65537", "-2", "x-1", "65537-2_2"}) {
    fs::create_directories(place.parent_path() / name);
    write(place.parent_path() / name / "events.jsonl", "{\"progress\":1}\n");
  }
  EXPECT_TRUE(live().reports().empty());
}

TEST_F(Live, a_directory_that_others_can_write_to_is_not_trusted) {
  write(place / "stdout", "text");
  ASSERT_EQ(::chmod((folder.path() / "run").c_str(), 0777), 0);
  EXPECT_FALSE(LiveAttempts(folder.path() / "run", false).has(task, 2));
  EXPECT_TRUE(LiveAttempts(folder.path() / "run", true).has(task, 2));
  EXPECT_FALSE(LiveAttempts(folder.path() / "nowhere", false).has(task, 2));
}

}  // namespace
}  // namespace pawl::actions
