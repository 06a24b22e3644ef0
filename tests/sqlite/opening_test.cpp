/// An unusable path: a clear message, and nothing is changed.

#include <fstream>

#include <sqlite3.h>
#include <sys/stat.h>

#include "sqlite/fixture.hpp"
#include "sqlite/preflight.hpp"
#include "sqlite/schema.hpp"

namespace pawl::sqlite {
namespace {

using testing::HasSubstr;

Error refusal_of(const SqliteOptions& options) {
  const auto store = open_sqlite_store(options);
  EXPECT_FALSE(store);
  return store ? Error{} : store.error();
}

void run_sql(const std::filesystem::path& path, const std::string& sql) {
  Connection connection(path, Connection::Mode::create);
  connection.run(sql);
}

TEST(Opening, makes_a_fresh_database_where_there_is_none) {
  const Folder folder;
  ASSERT_TRUE(open_sqlite_store({.path = folder / "a.db"}));
  Connection connection(folder / "a.db", Connection::Mode::read_only);
  EXPECT_EQ(connection.integer("PRAGMA application_id"), application_id);
  EXPECT_EQ(connection.integer("PRAGMA user_version"), schema_version());
}

TEST(Opening, an_empty_file_is_a_fresh_database) {
  const Folder folder;
  write_file(folder / "a.db", "");
  ASSERT_TRUE(open_sqlite_store({.path = folder / "a.db"}));
}

TEST(Opening, what_was_written_is_there_when_it_is_opened_again) {
  const Folder folder;
  const Workflow workflow = two_stages();
  const Job job = submit(*must_open({.path = folder / "a.db"}), workflow, 3);
  const auto store = must_open({.path = folder / "a.db", .create = false});
  EXPECT_EQ(store->records().job(job.id).value(), job);
  EXPECT_EQ(store->records().workflow(workflow.hash()).value(), workflow);
}

TEST(Opening, a_directory_is_refused) {
  const Folder folder;
  const Error error = refusal_of({.path = folder.path()});
  EXPECT_EQ(error.code, ErrorCode::refused);
  EXPECT_THAT(error.text(), HasSubstr("is a directory"));
  EXPECT_THAT(error.text(), HasSubstr(folder.path().string()));
  EXPECT_THAT(error.help, HasSubstr((folder.path() / "pawl.db").string()));
}

TEST(Opening, a_directory_with_a_store_is_refused_with_the_name_of_the_store) {
  const Folder folder;
  const std::filesystem::path store = folder.path() / ".pawl" / "pawl.db";
  std::filesystem::create_directory(store.parent_path());
  std::ofstream(store) << "";
  EXPECT_THAT(refusal_of({.path = folder.path()}).help, HasSubstr(store.string()));
}

TEST(Opening, an_empty_file_is_no_store_where_one_should_be) {
  const Folder folder;
  write_file(folder / "a.db", "");
  const auto before = folder.content();
  const Error empty = refusal_of({.path = folder / "a.db", .create = false});
  EXPECT_EQ(empty.code, ErrorCode::not_found);
  EXPECT_NE(empty.message.find("a.db' is empty"), std::string::npos) << empty.message;
  EXPECT_EQ(folder.content(), before);
}

TEST(Opening, a_store_that_was_cut_to_nothing_is_left_alone_with_its_log) {
  const Folder folder;
  std::string log;
  {
    const auto store = must_open({.path = folder / "a.db"});
    log = folder.content().at((folder / "a.db-wal").string());
    ASSERT_FALSE(log.empty());
  }
  write_file(folder / "a.db", "");
  write_file(folder / "a.db-wal", log);
  const auto before = folder.content();
  for (const bool create : {false, true}) {
    const Error cut = refusal_of({.path = folder / "a.db", .create = create});
    EXPECT_EQ(cut.code, ErrorCode::corrupt);
    EXPECT_NE(cut.message.find("there is a database log beside it"), std::string::npos);
    EXPECT_EQ(folder.content(), before);
  }
  std::filesystem::remove(folder / "a.db-wal");
  EXPECT_EQ(refusal_of({.path = folder / "a.db", .create = false}).code, ErrorCode::not_found);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a.db"));
}

TEST(Opening, an_empty_path_and_one_with_a_zero_byte_are_invalid) {
  EXPECT_EQ(refusal_of({.path = ""}).code, ErrorCode::invalid);
  EXPECT_EQ(refusal_of({.path = std::string("a\0b", 3)}).code, ErrorCode::invalid);
}

TEST(Opening, a_missing_directory_is_refused) {
  const Folder folder;
  const Error error = refusal_of({.path = folder / "missing/a.db"});
  EXPECT_EQ(error.code, ErrorCode::refused);
  EXPECT_THAT(error.text(), HasSubstr("No such file or directory"));
}

TEST(Opening, a_path_below_a_file_is_refused) {
  const Folder folder;
  write_file(folder / "file", "text");
  const Error error = refusal_of({.path = folder / "file/a.db"});
  EXPECT_EQ(error.code, ErrorCode::refused);
  EXPECT_THAT(error.text(), HasSubstr("Not a directory"));
}

TEST(Opening, a_file_system_that_takes_no_files_is_refused) {
  EXPECT_EQ(refusal_of({.path = "/proc/a.db"}).code, ErrorCode::refused);
}

TEST(Opening, a_pipe_is_refused_and_not_waited_for) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of({.path = folder / "pipe"}).code, ErrorCode::refused);
}

TEST(Opening, a_read_only_directory_is_refused_to_a_user_without_rights) {
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const int code = in_child([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) return 2;
    const auto store = open_sqlite_store({.path = folder / "a.db"});
    if (store || store.error().code != ErrorCode::refused) return 3;
    return store.error().message.find("Permission denied") == std::string::npos ? 4 : 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(folder.content().empty());
}

TEST(Opening, a_read_only_database_is_refused_to_a_user_without_rights) {
  const Folder folder;
  (void)must_open({.path = folder / "a.db"});
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod((folder / "a.db").c_str(), 0444), 0);
  const int code = in_child([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) return 2;
    const auto store = open_sqlite_store({.path = folder / "a.db"});
    return !store && store.error().code == ErrorCode::refused ? 0 : 3;
  });
  EXPECT_EQ(code, 0);
}

TEST(Opening, a_text_file_is_corrupt_and_stays_as_it_is) {
  const Folder folder;
  write_file(folder / "notes.txt", std::string(5'000, 'x'));
  const auto before = folder.content();
  const Error error = refusal_of({.path = folder / "notes.txt"});
  EXPECT_EQ(error.code, ErrorCode::corrupt);
  EXPECT_THAT(error.text(), HasSubstr("notes.txt"));
  EXPECT_THAT(error.text(), HasSubstr("nothing was changed"));
  EXPECT_EQ(folder.content(), before);
}

TEST(Opening, a_file_that_only_begins_like_a_database_is_corrupt) {
  const Folder folder;
  write_file(folder / "a.db", std::string("SQLite format 3\0", 16) + std::string(5'000, 'x'));
  const auto before = folder.content();
  EXPECT_EQ(refusal_of({.path = folder / "a.db"}).code, ErrorCode::corrupt);
  EXPECT_EQ(folder.content(), before);
}

TEST(Opening, a_cut_off_database_is_corrupt) {
  const Folder folder;
  write_file(folder / "a.db", std::string("SQLite format 3\0", 16));
  EXPECT_EQ(refusal_of({.path = folder / "a.db"}).code, ErrorCode::corrupt);
}

TEST(Opening, a_database_of_another_program_is_refused_and_stays_as_it_is) {
  const Folder folder;
  run_sql(folder / "a.db", "CREATE TABLE songs (name TEXT)");
  const auto before = folder.content();
  const Error error = refusal_of({.path = folder / "a.db"});
  EXPECT_EQ(error.code, ErrorCode::refused);
  EXPECT_THAT(error.text(), HasSubstr("another program"));
  EXPECT_EQ(folder.content(), before);
}

TEST(Opening, a_database_of_a_newer_pawl_is_refused) {
  const Folder folder;
  (void)must_open({.path = folder / "a.db"});
  run_sql(folder / "a.db", "PRAGMA user_version = 7");
  const Error error = refusal_of({.path = folder / "a.db"});
  EXPECT_EQ(error.code, ErrorCode::refused);
  EXPECT_EQ(error.message,
            "this database was written by a newer pawl (schema 7, this program "
            "knows " +
                std::to_string(schema_version()) + ")");
}

TEST(Opening, knows_network_file_systems_from_local_ones) {
  constexpr std::uint32_t fuse = 0x65735546;
  EXPECT_EQ(network_file_system(0x6969, ""), "NFS");
  EXPECT_EQ(network_file_system(0xFF534D42, ""), "CIFS");
  EXPECT_EQ(network_file_system(0xFE534D42, ""), "SMB2");
  EXPECT_EQ(network_file_system(fuse, "fuse.sshfs"), "fuse.sshfs");
  EXPECT_EQ(network_file_system(fuse, "fuseblk"), "") << "a local NTFS disk";
  EXPECT_EQ(network_file_system(0xEF53, ""), "") << "ext4";
  EXPECT_EQ(network_file_system(0x01021994, ""), "") << "tmpfs";
}

TEST(Opening, does_not_make_a_database_when_told_so) {
  const Folder folder;
  EXPECT_EQ(refusal_of({.path = folder / "a.db", .create = false}).code, ErrorCode::not_found);
  EXPECT_TRUE(folder.content().empty());
}

TEST(Opening, takes_hostile_names_as_they_are) {
  const Folder folder;
  for (const std::string name :
       {"with space.db", "quote'\".db", "question?mode=ro#x.db", "file:a.db", ":memory:", "-x.db",
        "semi;colon%20.db", "\xD0\xB1\xD0\xB4.db", "line\nbreak.db"}) {
    const auto store = must_open({.path = folder / name});
    EXPECT_TRUE(store->keep_payload("bytes")) << name;
    (void)enlist(*store);
    EXPECT_TRUE(std::filesystem::is_regular_file(folder / name)) << name;
    EXPECT_TRUE(std::filesystem::is_directory(folder / (name + ".blobs"))) << name;
    EXPECT_TRUE(std::filesystem::is_directory(folder / (name + ".workers"))) << name;
  }
}

}  // namespace
}  // namespace pawl::sqlite
