#include "pawl/codec/digest.hpp"
#include "sqlite/fixture.hpp"

namespace pawl::sqlite {
namespace {

TEST(Payloads, are_files_named_by_their_content) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  std::string bytes(100'000, 'z');
  bytes[7] = '\0';
  const std::string sha256 = store->keep_payload(bytes).value();
  EXPECT_EQ(sha256, sha256_hex(bytes));
  EXPECT_TRUE(
      std::filesystem::exists(folder / "a.db.blobs" / sha256.substr(0, 2) / sha256.substr(2)));
  EXPECT_EQ(store->records().payload(sha256).value(), bytes);
}

TEST(Payloads, equal_ones_are_kept_once_and_nothing_temporary_stays) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const std::string first = store->keep_payload("same").value();
  EXPECT_EQ(store->keep_payload("same").value(), first);
  EXPECT_EQ(must_open({.path = folder / "a.db"})->keep_payload("same").value(), first);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "a.db.blobs")) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1);
}

TEST(Payloads, a_file_that_cannot_be_kept_leaves_nothing_temporary) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  EXPECT_FALSE(store->keep_file(folder / "missing"));
  write_file(folder / "twice", "same");
  EXPECT_TRUE(store->keep_file(folder / "twice"));
  EXPECT_TRUE(store->keep_file(folder / "twice"));
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "a.db.blobs")) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1);
}

TEST(Payloads, what_a_dead_process_was_writing_is_removed_and_counted) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const std::string kept = store->keep_payload("whole").value();
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto own = must_open({.path = folder / "a.db"});
      (void)own->keep_stream([](const ByteSink& sink) -> Status {
        (void)sink("half of it");
        ::_exit(0);
      });
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
  EXPECT_EQ(half_written_payloads(folder / "a.db").count, 2);
  EXPECT_EQ(half_written_payloads(folder / "a.db").bytes, 20);
  EXPECT_EQ(remove_half_written_payloads(folder / "a.db").count, 2);
  EXPECT_EQ(remove_half_written_payloads(folder / "a.db").count, 0);
  EXPECT_EQ(store->records().payload(kept).value(), "whole");
}

TEST(Payloads, what_a_living_process_writes_stays) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const Result<KeptFile> kept = store->keep_stream([&](const ByteSink& sink) -> Status {
    EXPECT_EQ(remove_half_written_payloads(folder / "a.db").count, 0);
    return sink("written meanwhile");
  });
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(store->records().payload(kept->sha256).value(), "written meanwhile");
  EXPECT_EQ(half_written_payloads(folder / "nothing-here.db").count, 0);
}

TEST(Payloads, an_empty_one_is_one_too) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  EXPECT_EQ(store->records().payload(store->keep_payload("").value()).value(), "");
}

TEST(Payloads, a_half_written_file_is_replaced) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const std::string sha256 = sha256_hex("whole");
  const auto place = folder / "a.db.blobs" / sha256.substr(0, 2);
  std::filesystem::create_directories(place);
  write_file(place / sha256.substr(2), "wh");
  EXPECT_EQ(store->keep_payload("whole").value(), sha256);
  EXPECT_EQ(store->records().payload(sha256).value(), "whole");
}

TEST(Payloads, one_that_was_changed_is_whole_again_when_its_content_is_kept_again) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const std::string sha256 = store->keep_payload("truth").value();
  const auto blob = folder / "a.db.blobs" / sha256.substr(0, 2) / sha256.substr(2);
  const auto damage = [&] {
    std::filesystem::remove(blob);
    write_file(blob, "lies!");
    EXPECT_EQ(store->records().payload(sha256).error().code, ErrorCode::corrupt);
  };
  damage();
  EXPECT_EQ(store->keep_payload("truth").value(), sha256);
  EXPECT_EQ(store->records().payload(sha256).value(), "truth");
  damage();
  write_file(folder / "source", "truth");
  EXPECT_EQ(store->keep_file(folder / "source").value().sha256, sha256);
  EXPECT_EQ(store->records().payload(sha256).value(), "truth");
}

TEST(Payloads, changed_bytes_are_corrupt_and_unknown_ones_are_not_found) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  const std::string sha256 = store->keep_payload("truth").value();
  const auto blob = folder / "a.db.blobs" / sha256.substr(0, 2) / sha256.substr(2);
  std::filesystem::remove(blob);  // it is read-only
  write_file(blob, "lies!");
  EXPECT_EQ(store->records().payload(sha256).error().code, ErrorCode::corrupt);
  EXPECT_EQ(store->records().payload(sha256_hex("other")).error().code, ErrorCode::not_found);
}

TEST(Payloads, a_name_that_is_no_digest_reaches_no_file) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  for (const std::string& name :
       {std::string("../../etc/passwd"), std::string(), std::string("ab"), std::string(64, '/'),
        std::string(64, 'A'), std::string(65, 'a')}) {
    EXPECT_EQ(store->records().payload(name).error().code, ErrorCode::invalid) << name;
    EXPECT_EQ(store->records().payload_path(name).error().code, ErrorCode::invalid) << name;
  }
}

}  // namespace
}  // namespace pawl::sqlite
