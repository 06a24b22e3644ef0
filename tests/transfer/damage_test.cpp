/// A file that is not a complete export is refused, and nothing is written.

#include <gmock/gmock.h>

#include "contract/store_kinds.hpp"
#include "pawl/codec/digest.hpp"
#include "transfer/busy_job.hpp"

namespace pawl::driving {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class DamagedExport : public testing::Test {
 protected:
  void SetUp() override {
    file = exported(from.records(), busy_job(from), {.page = 500, .export_id = "e1"});
    for (std::size_t at = 0; at < file.size(); at = ends.back()) {
      ends.push_back(file.find('\n', at) + 1);
    }
    to.submit(busy_workflow(), {"x"});
    mark = to.store().change_mark();
  }

  /// Returns the error.
  std::string expect_refused(const std::string& text) {
    const Result<Imported> taken = import_text(to.store(), text);
    EXPECT_FALSE(taken);
    EXPECT_EQ(to.store().change_mark(), mark) << "something was written";
    return taken ? "" : taken.error().text();
  }
  /// Recomputes the last line for changed lines before it.
  static std::string resealed(std::string text) {
    const std::size_t last = text.rfind("{\"end\":");
    const std::size_t digest = text.rfind("\"sha256\":\"") + 10;
    text.replace(digest, 64, sha256_hex(std::string_view(text).substr(0, last)));
    return text;
  }
  std::string replaced(const std::string& what, const std::string& by) {
    std::string text = file;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return resealed(text.replace(at, what.size(), by));
  }

  Drive from{store_kinds()[0]};
  Drive to{store_kinds()[0]};
  std::string file;
  std::vector<std::size_t> ends;  ///< the ends of the lines
  std::uint64_t mark = 0;
};

TEST_F(DamagedExport, a_flipped_bit_anywhere_is_noticed) {
  ASSERT_TRUE(resealed(file) == file);
  for (std::size_t at = 0; at < file.size() && !HasFailure(); at += 5) {
    std::string text = file;
    text[at] = static_cast<char>(text[at] ^ (1 << (at % 7)));
    SCOPED_TRACE("byte " + std::to_string(at));
    EXPECT_NE(expect_refused(text), "");
  }
}

TEST_F(DamagedExport, a_cut_at_each_line_and_inside_of_it_is_noticed) {
  for (std::size_t line = 0; line < ends.size() && !HasFailure(); ++line) {
    SCOPED_TRACE("line " + std::to_string(line + 1));
    if (line + 1 < ends.size()) {
      EXPECT_THAT(expect_refused(file.substr(0, ends[line])),
                  HasSubstr("line " + std::to_string(line + 1) + ": the export is cut short"));
    }
    EXPECT_THAT(expect_refused(file.substr(0, ends[line] - 1)), HasSubstr("cut short"));
    EXPECT_THAT(expect_refused(file.substr(0, ends[line] - 10)), HasSubstr("cut short"));
  }
}

TEST_F(DamagedExport, a_line_that_is_missing_doubled_or_moved_is_noticed) {
  for (std::size_t line = 0; line + 1 < ends.size() && !HasFailure(); ++line) {
    SCOPED_TRACE("line " + std::to_string(line + 1));
    const std::size_t start = line == 0 ? 0 : ends[line - 1];
    const std::string own = file.substr(start, ends[line] - start);
    EXPECT_NE(expect_refused(file.substr(0, start) + file.substr(ends[line])), "");
    EXPECT_NE(expect_refused(file.substr(0, start) + own + own + file.substr(ends[line])), "");
  }
}

TEST_F(DamagedExport, two_files_joined_are_noticed) {
  EXPECT_THAT(expect_refused(file + file), HasSubstr("something follows"));
  EXPECT_THAT(expect_refused(file + "\n"), HasSubstr("something follows"));
}

TEST_F(DamagedExport, other_files_are_not_exports) {
  EXPECT_THAT(expect_refused(""), HasSubstr("not an export"));
  EXPECT_THAT(expect_refused("name: a workflow\n"), HasSubstr("line 1: this is not an export"));
  EXPECT_THAT(expect_refused("{\"item\":1}\n"), HasSubstr("not an export"));
}

TEST_F(DamagedExport, a_newer_format_is_refused_by_its_number) {
  const std::string newer = replaced("\"format\":3,", "\"format\":4,\"more\":true,");
  EXPECT_THAT(expect_refused(newer), HasSubstr("has format 4, and this pawl reads up to 3"));
}

/// The error names the line of an export that was written by hand with a correct digest.
TEST_F(DamagedExport, lines_that_make_no_sense_are_named_although_the_digest_is_right) {
  EXPECT_THAT(expect_refused(replaced("\"kind\":\"succeeded\"", "\"kind\":\"running\"")),
              HasSubstr("the task is running"));
  EXPECT_THAT(expect_refused(replaced("\"kind\":\"succeeded\"", "\"kind\":\"succeded\"")),
              HasSubstr("did you mean 'succeeded'?"));
  EXPECT_THAT(expect_refused(replaced("\"paused\":\"requested\",", "")),
              HasSubstr("line 3: the job has neither ended nor is it paused"));
  EXPECT_THAT(expect_refused(replaced("\"dead_letters\":2", "\"dead_letters\":3")),
              HasSubstr("counts 3 dead letters, the rows are 2"));
  EXPECT_THAT(expect_refused(replaced("{\"due\":{}}\n", "")), HasSubstr("come"));
  EXPECT_THAT(expect_refused(replaced("\"handler\":\"code\"", "\"handler\":\"cod\"")),
              HasSubstr("has the hash"));
  const std::string task =
      "{\"task\":{\"id\":" + std::to_string(from.task_of(JobId{1}, "asked").value());
  EXPECT_THAT(expect_refused(replaced(task, task + "9")), HasSubstr("has no stage"));
  EXPECT_THAT(expect_refused(replaced(R"({"events":{"at":)", R"({"events":{"at":-)")),
              HasSubstr("events cannot be older than 1970"));
}

TEST_F(DamagedExport, what_a_file_says_of_trust_is_refused) {
  const std::string event = R"("type":"job.submitted")";
  EXPECT_THAT(expect_refused(replaced(event, R"("type":"job.trusted")")),
              HasSubstr("an export has no event 'job.trusted'"));
  EXPECT_THAT(expect_refused(replaced(event, R"("type":"job.imported")")),
              HasSubstr("an export has no event 'job.imported'"));
  EXPECT_NE(expect_refused(replaced(R"("priority":0)", R"("priority":0,"trust":"own")")), "");
}

TEST_F(DamagedExport, audit_entries_that_pawl_cannot_have_written_are_refused) {
  const std::string act = R"("act":"job.submit")";
  EXPECT_THAT(expect_refused(replaced(act, R"("act":"")")), HasSubstr("has no act ''"));
  EXPECT_THAT(expect_refused(replaced(act, R"("act":"person.add")")),
              HasSubstr("has no act 'person.add'"));
  EXPECT_THAT(expect_refused(replaced(act, act + R"(,"before":"nothing")")),
              HasSubstr("is not a digest"));
  EXPECT_THAT(expect_refused(replaced(act, act + R"(,"at":-1)")), Not(IsEmpty()));
}

TEST_F(DamagedExport, a_line_has_bounds_that_are_named_with_its_number) {
  const std::string header = file.substr(0, ends[0]);
  EXPECT_THAT(expect_refused(header + std::string(export_line_max + 1, 'x') + "\n"),
              HasSubstr("line 2: the line is longer than 33554432 bytes"));
  EXPECT_THAT(expect_refused(header + "{\"a\":" + std::string(1'001, '[')), HasSubstr("line 2: "));
  EXPECT_THAT(expect_refused(header + std::string(1'001, '[') + "\n"),
              HasSubstr("nested more than 1000 levels deep"));
  std::string members = "{\"job\":{";
  for (int i = 0; i <= 1'000'000; ++i) members += "\"" + std::to_string(i) + "\":0,";
  EXPECT_THAT(expect_refused(header + members + "\"x\":0}}\n"),
              HasSubstr("an object has more than 1000000 members"));
  std::string shifts = "{\"original_job\":{\"shifts\":[0";
  for (int i = 0; i <= 10'000; ++i) shifts += ",0";
  EXPECT_THAT(expect_refused(file.substr(0, ends[2]) + shifts + "]}}\n"),
              HasSubstr("line 4: 'shifts' of the job of adopted items must have at most 10000"));
}

TEST_F(DamagedExport, a_record_that_no_line_can_hold_is_not_exported) {
  const std::vector<NewItem> items{{.key = "k", .data = Json(std::string(export_line_max, 'x'))}};
  const Job large = *to.store().create_job({.workflow = busy_workflow()});
  ASSERT_TRUE(to.store().add_items({.job = large.id, .items = items, .close = true}));
  ASSERT_TRUE(to.act(PauseJob{large.id}));
  std::ostringstream out;
  const Result<Exported> done = export_job(to.records(), large.id, out);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text(), HasSubstr("a line of an export has at most 33554432"));
}

}  // namespace
}  // namespace pawl::driving
