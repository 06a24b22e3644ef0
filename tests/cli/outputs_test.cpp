#include <gtest/gtest.h>

#include "cli/input/edited_files.hpp"
#include "cli/output/file_outputs.hpp"
#include "cli/output/line_diff.hpp"
#include "cli/session.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/clock.hpp"
#include "pawl/store/edits.hpp"

namespace pawl::cli {

using codec::file_of;
using codec::file_value;

namespace {

Json json(std::string_view text) { return *parse_json(text); }

const std::string digest(64, 'a');

TEST(FileValues, is_only_what_names_a_digest) {
  const auto file = file_of(json(R"({"$file":"sha256:)" + digest + R"(","name":"a.md","size":7})"));
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->name, "a.md");
  EXPECT_EQ(file->size, 7);
  EXPECT_FALSE(file_of(json(R"({"$file":"sha256:../../../etc/passwd"})")).has_value());
  EXPECT_FALSE(file_of(json(R"({"$file":"/etc/passwd"})")).has_value());
  EXPECT_FALSE(file_of(json(R"("$file")")).has_value());
  // A name that leads elsewhere is no name of a file.
  for (const std::string name : {"../../page.txt", "/etc/passwd", "..", ""}) {
    EXPECT_FALSE(file_of(file_value({.sha256 = digest, .name = name, .size = 7})).has_value());
  }
}

TEST(SafeFileName, stays_in_its_directory_whatever_the_text_says) {
  EXPECT_EQ(safe_file_name("a.md"), "a.md");
  for (const char* text : {"../../etc/passwd", "/etc/passwd", "..", ".", "", "a\nb", "-rf", "a\\b",
                           "\x1b[31m", ".hidden", "x/"}) {
    const std::string name = safe_file_name(text);
    EXPECT_FALSE(name.empty()) << text;
    EXPECT_EQ(name.find_first_of("/\\\n\x1b"), std::string::npos) << name;
    EXPECT_FALSE(name.starts_with('.') || name.starts_with('-')) << name;
  }
  EXPECT_LE(safe_file_name(std::string(5'000, 'x')).size(), 120U);
  EXPECT_LE(safe_file_name("\u00e9" + std::string(118, 'x') + "\u00e9\u00e9").size(), 120U);
}

TEST(LineDiff, shows_what_changed_with_its_surroundings) {
  const std::vector<std::string> before{"1", "2", "3", "4", "5", "6", "7", "8", "9"};
  std::vector<std::string> after = before;
  after[4] = "five";
  EXPECT_EQ(line_diff(before, after, {}), "…\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n…\n");
  EXPECT_EQ(line_diff(before, before, {}), "");
  EXPECT_EQ(line_diff({}, {"a"}, {}), "+a\n");
  EXPECT_EQ(line_diff({"a", "b", "c"}, {"a", "c"}, {}), " a\n-b\n c\n");
}

class EditedOutput : public ::testing::Test {
 protected:
  /// The output that comes of the edit, or what is wrong with it.
  Result<Json> edited(const Json& original, const std::string& text) {
    const StageDefinition stage{
        .name = "s", .handler = "h", .params = Json::object({{"sh", "make"}})};
    const Result<Json> written = parse_json(text);
    if (!written) return written;
    Result<Json> kept = with_files_kept(session_, *store_, stage, original, *written);
    if (!kept) return kept;
    if (const Status fits = check_edits(stage, original, *kept); !fits) {
      return std::unexpected(fits.error());
    }
    return kept;
  }
  ManualClock clock_;
  std::shared_ptr<Store> store_ = open_memory_store(clock_);
  Session session_{Globals{}, standard_streams(), store_};
};

TEST_F(EditedOutput, keeps_fields_and_types) {
  const Json original = json(R"({"words":3,"title":"a","ok":true,"share":0.5,"none":null})");
  EXPECT_TRUE(edited(original, R"({"words":4,"title":"b","ok":false,"share":1,"none":"x"})"));
  for (const char* text : {R"({"words":"4","title":"a","ok":true,"share":0.5,"none":null})",
                           R"({"words":4.5,"title":"a","ok":true,"share":0.5,"none":null})",
                           R"({"words":3,"title":"a","ok":"true","share":0.5,"none":null})",
                           R"({"words":3})", R"([1])", R"({"words":)", ""}) {
    const Result<Json> wrong = edited(original, text);
    ASSERT_FALSE(wrong.has_value()) << text;
    EXPECT_EQ(wrong.error().code, ErrorCode::invalid) << text;
  }
}

TEST_F(EditedOutput, leaves_files_as_they_are) {
  const std::string file = R"({"$file":"sha256:)" + digest + R"(","name":"a","size":1})";
  const Json original = json(R"({"page":)" + file + R"(,"n":1})");
  const Result<Json> kept = edited(original, R"({"page":)" + file + R"(,"n":2})");
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(field(*kept, "page").json(), field(original, "page").json());
  EXPECT_FALSE(edited(original, R"({"page":7,"n":1})").has_value());
}

}  // namespace
}  // namespace pawl::cli
