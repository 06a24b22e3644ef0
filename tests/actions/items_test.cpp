#include "pawl/actions/items.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/folder.hpp"
#include "actions/glob.hpp"
#include "pawl/codec/digest.hpp"

namespace pawl::actions {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = ItemsSpec::Kind;

/// All items, or the error of the source.
Result<std::vector<NewItem>> all_of_source(const ItemSource& source, std::size_t* pages = nullptr) {
  std::vector<NewItem> all;
  for (;;) {
    std::vector<NewItem> page;
    const Result<bool> more = source(page);
    if (!more) return std::unexpected(more.error());
    EXPECT_LE(page.size(), 1'000U);
    if (pages != nullptr) ++*pages;
    for (NewItem& item : page) all.push_back(std::move(item));
    if (!*more) return all;
  }
}

std::vector<std::string> keys(const Result<std::vector<NewItem>>& items) {
  std::vector<std::string> found;
  if (!items) return {items.error().text()};
  for (const NewItem& item : *items) found.push_back(item.key);
  return found;
}

std::string error_of(const Result<std::vector<NewItem>>& items) {
  return items ? "no error" : items.error().text();
}

TEST(Items, without_a_source_are_one) {
  const auto items = all_of_source(read_items({}, {}, "."));
  ASSERT_TRUE(items);
  ASSERT_EQ(items->size(), 1U);
  EXPECT_EQ(items->at(0).key, "1");
  EXPECT_TRUE(items->at(0).data.is_null());
}

TEST(Items, of_a_list_have_their_keys_from_the_data) {
  const ItemsSpec spec{.kind = Kind::list,
                       .list = {Json("ada"), Json(7), Json::object({{"id", "x"}, {"n", 1}})}};
  EXPECT_THAT(keys(all_of_source(read_items(spec, {}, "."))), ElementsAre("ada", "7", "x"));
}

TEST(Items, of_a_file_are_lines_of_json_or_text) {
  const Folder folder;
  folder.write("items.jsonl",
               "{\"id\":\"a\",\"n\":1}\n\n  plain text \r\n\"quoted\"\n42\n[1]\nlast");
  const ItemsSpec spec{.kind = Kind::file, .source = "items.jsonl"};
  const auto items = all_of_source(read_items(spec, {}, folder.path()));
  ASSERT_TRUE(items) << items.error().text();
  ASSERT_EQ(items->size(), 6U);
  EXPECT_EQ(items->at(0).key, "a");
  EXPECT_EQ(items->at(1).data.text(), "\"  plain text \"");
  EXPECT_EQ(items->at(2).data.text(), "\"quoted\"");
  EXPECT_EQ(items->at(3).data.text(), "\"42\"");
  EXPECT_EQ(items->at(4).data.text(), "[1]");
  EXPECT_EQ(items->at(5).key, "last");
  EXPECT_EQ(items->at(0).data_sha256, sha256_hex(R"({"id":"a","n":1})"));
}

TEST(Items, with_a_bad_line_name_the_file_and_the_line) {
  const Folder folder;
  folder.write("items.jsonl", "{\"id\":1}\n{\"id\":\n");
  folder.write("bytes.jsonl", "fine\n\xFF\xFE\n");
  const auto read = [&](const std::string& name) {
    return error_of(
        all_of_source(read_items({.kind = Kind::file, .source = name}, {}, folder.path())));
  };
  EXPECT_THAT(read("items.jsonl"), HasSubstr("items.jsonl, line 2"));
  EXPECT_EQ(read("bytes.jsonl"), "bytes.jsonl, line 2 is not UTF-8");
  EXPECT_THAT(read("absent.jsonl"), HasSubstr("absent.jsonl"));
  EXPECT_THAT(read("."), HasSubstr("directory"));
}

TEST(Items, with_several_bad_lines_name_each_of_them_once) {
  const Folder folder;
  folder.write("items.jsonl", "{\"id\":1}\n{\"id\":\n{}\n\n[1,\n");
  const auto read = [&](const std::string& name) {
    return error_of(all_of_source(
        read_items({.kind = Kind::file, .source = name, .id = "${item.id}"}, {}, folder.path())));
  };
  const std::string told = read("items.jsonl");
  EXPECT_THAT(told, HasSubstr("3 items cannot be read:"));
  EXPECT_THAT(told, HasSubstr("\n  items.jsonl, line 2, column 7: "));
  EXPECT_THAT(told, HasSubstr("\n  items.jsonl, line 3: "));
  EXPECT_THAT(told, HasSubstr("\n  items.jsonl, line 5, column 4: "));
  EXPECT_THAT(told, Not(HasSubstr("line 1")));
  // A line that is too long is skipped as a whole: the rest of it is not read as other lines.
  folder.write("long.jsonl", "[" + std::string(std::size_t{17} << 20U, 'x') + "\n{\n");
  EXPECT_THAT(read("long.jsonl"),
              AllOf(HasSubstr("2 items"), HasSubstr("long.jsonl, line 1 is longer than 16 MiB"),
                    HasSubstr("long.jsonl, line 2, ")));
}

TEST(Items, have_ids_and_categories_from_their_fields_and_params) {
  const ItemsSpec spec{
      .kind = Kind::list,
      .list = {Json::object({{"name", "a"}, {"lang", "de"}}), Json::object({{"name", "b"}})},
      .id = "${params.prefix}/${item.name}",
      .category = "${item.lang}"};
  const auto items = all_of_source(read_items(spec, Json::object({{"prefix", "p"}}), "."));
  EXPECT_THAT(keys(items), ElementsAre("p/a", "p/b"));
  EXPECT_EQ(items->at(0).category, "de");
  EXPECT_EQ(items->at(1).category, "");
}

TEST(Items, without_the_field_of_their_id_are_an_error) {
  const ItemsSpec spec{
      .kind = Kind::list, .list = {Json::object({{"n", 1}})}, .id = "${item.name}"};
  EXPECT_THAT(error_of(all_of_source(read_items(spec, {}, "."))), HasSubstr("item 1"));
}

TEST(Items, may_lie_inside_their_documents) {
  const Folder folder;
  folder.write("pages.jsonl",
               "{\"data\":{\"rows\":[{\"id\":1},{\"id\":2}]}}\n{\"data\":{\"rows\":[]}}\n"
               "{\"data\":{\"rows\":[{\"id\":3}]}}\n");
  ItemsSpec spec{.kind = Kind::file, .source = "pages.jsonl", .path = "data.rows"};
  EXPECT_THAT(keys(all_of_source(read_items(spec, {}, folder.path()))), ElementsAre("1", "2", "3"));
  spec.offset = 1;
  spec.limit = 1;
  EXPECT_THAT(keys(all_of_source(read_items(spec, {}, folder.path()))), ElementsAre("2"));
  spec.path = "data.lines";
  EXPECT_THAT(error_of(all_of_source(read_items(spec, {}, folder.path()))),
              HasSubstr("pages.jsonl, line 1 has nothing at \"data.lines\""));
}

TEST(Items, come_by_the_page) {
  const Folder folder;
  std::string lines;
  for (int i = 0; i < 2'500; ++i) lines += std::to_string(i) + "\n";
  folder.write("many.txt", lines);
  std::size_t pages = 0;
  const auto items = all_of_source(
      read_items({.kind = Kind::file, .source = "many.txt"}, {}, folder.path()), &pages);
  EXPECT_EQ(items->size(), 2'500U);
  EXPECT_EQ(pages, 3U);
}

TEST(Items, of_a_command_are_its_lines) {
  const Folder folder;
  folder.write("list.txt", "a\nb\n");
  const ItemsSpec spec{.kind = Kind::run, .argv = {"cat", "${params.file}"}};
  EXPECT_THAT(
      keys(all_of_source(read_items(spec, Json::object({{"file", "list.txt"}}), folder.path()))),
      ElementsAre("a", "b"));
  const ItemsSpec failing{.kind = Kind::run,
                          .argv = {"sh", "-c", "echo a; echo no database >&2; exit 3"}};
  EXPECT_EQ(error_of(all_of_source(read_items(failing, {}, folder.path()))),
            "the command for the items failed: exit 3: no database");
  const ItemsSpec absent{.kind = Kind::run, .argv = {"no-such-program-here"}};
  EXPECT_THAT(error_of(all_of_source(read_items(absent, {}, folder.path()))),
              HasSubstr("command not found"));
  const ItemsSpec empty{.kind = Kind::run, .argv = {"cat"}};
  EXPECT_THAT(keys(all_of_source(read_items(empty, {}, folder.path()))), ElementsAre());
}

TEST(Items, of_a_pattern_are_files_with_the_digest_of_their_bytes) {
  const Folder folder;
  folder.write("corpus/b.pdf", "two");
  folder.write("corpus/2019/a.pdf", "one");
  folder.write("corpus/notes.txt", "no");
  const ItemsSpec spec{
      .kind = Kind::glob, .source = "${params.corpus}/**/*.pdf", .id = "${item.path}"};
  const auto items =
      all_of_source(read_items(spec, Json::object({{"corpus", "corpus"}}), folder.path()));
  EXPECT_THAT(keys(items), ElementsAre("corpus/2019/a.pdf", "corpus/b.pdf"));
  EXPECT_EQ(items->at(0).data.text(), R"({"path":"corpus/2019/a.pdf","name":"a.pdf"})");
  EXPECT_EQ(items->at(0).data_sha256, sha256_hex("one"));
}

TEST(Items, of_a_pattern_take_a_param_for_a_name_not_for_a_pattern) {
  const Folder folder;
  folder.write("a[1]/x.pdf", "1");
  folder.write("a1/y.pdf", "2");
  const ItemsSpec spec{.kind = Kind::glob, .source = "${params.dir}/*.pdf", .id = "${item.path}"};
  EXPECT_THAT(keys(all_of_source(read_items(spec, Json::object({{"dir", "a[1]"}}), folder.path()))),
              ElementsAre("a[1]/x.pdf"));
}

std::vector<std::string> found(const Folder& folder, const std::string& pattern) {
  const auto files = find_files(folder.path(), pattern);
  return files ? *files : std::vector<std::string>{files.error().text()};
}

TEST(Pattern, knows_stars_question_marks_sets_and_escapes) {
  EXPECT_TRUE(name_matches("report.pdf", "*.pdf"));
  EXPECT_TRUE(name_matches("a.b.pdf", "*.*df"));
  EXPECT_FALSE(name_matches("report.pdfx", "*.pdf"));
  EXPECT_TRUE(name_matches("é.md", "?.md"));
  EXPECT_TRUE(name_matches("b1", "[a-c][!2-9]"));
  EXPECT_FALSE(name_matches("d1", "[a-c]1"));
  EXPECT_TRUE(name_matches("*", "\\*"));
  EXPECT_FALSE(name_matches("x", "\\*"));
  EXPECT_TRUE(name_matches("[x", "[x"));
  EXPECT_FALSE(name_matches(".hidden", "*"));
  EXPECT_TRUE(name_matches(".hidden", ".*"));
  EXPECT_FALSE(name_matches(std::string(5'000, 'a'), "*a*a*a*a*a*a*a*a*b")) << "and quickly";
}

TEST(Pattern, finds_files_sorted_and_neither_hidden_ones_nor_loops) {
  const Folder folder;
  folder.write("b.md", "");
  folder.write("a/c.md", "");
  folder.write("a/deep/er/d.md", "");
  folder.write(".git/e.md", "");
  folder.write("a/.f.md", "");
  std::filesystem::create_directory_symlink(folder.path(), folder / "a/loop");
  std::filesystem::create_symlink(folder / "b.md", folder / "a/link.md");
  EXPECT_THAT(found(folder, "**/*.md"),
              ElementsAre("a/c.md", "a/deep/er/d.md", "a/link.md", "b.md"));
  EXPECT_THAT(found(folder, "a/**"), ElementsAre("a/c.md", "a/deep/er/d.md", "a/link.md"));
  EXPECT_THAT(found(folder, "*.md"), ElementsAre("b.md"));
  EXPECT_THAT(found(folder, ".git/*.md"), ElementsAre(".git/e.md"));
  EXPECT_THAT(found(folder, "nowhere/*.md"), ElementsAre());
  EXPECT_THAT(found(folder, "a"), ElementsAre()) << "a directory is no file";
  EXPECT_THAT(found(folder, (folder.path() / "*.md").string()),
              ElementsAre((folder.path() / "b.md").string()));
}

TEST(Pattern, refuses_a_name_that_is_not_utf8) {
  const Folder folder;
  folder.write("bad-\xFF.pdf", "");
  EXPECT_THAT(found(folder, "*.pdf"), ElementsAre(HasSubstr("bad-\\xff.pdf is not UTF-8")));
}

}  // namespace
}  // namespace pawl::actions
