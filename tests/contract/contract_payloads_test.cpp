/// Payloads: bytes and files that are stored by their content.

#include <fstream>
#include <thread>

#include <sys/stat.h>

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/codec/digest.hpp"

namespace pawl::driving {
namespace {

class KeepingFiles : public Contract {
 protected:
  std::filesystem::path file(const std::string& name, std::string_view bytes) {
    std::filesystem::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Stores, KeepingFiles, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(KeepingFiles, a_file_of_many_pieces_is_kept_byte_for_byte) {
  std::string bytes;
  for (int i = 0; bytes.size() < 1'000'000; ++i) bytes += std::to_string(i) + '\0';
  const Result<KeptFile> kept = drive.store().keep_file(file("a.bin", bytes));
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->sha256, sha256_hex(bytes));
  EXPECT_EQ(kept->size, static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(drive.records().payload(kept->sha256).value(), bytes);
}

TEST_P(KeepingFiles, an_empty_one_and_one_behind_a_link_are_kept_too) {
  const auto empty = drive.store().keep_file(file("empty", ""));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->size, 0);
  std::filesystem::create_symlink(file("real", "text"), folder.path() / "link");
  EXPECT_EQ(drive.store().keep_file(folder.path() / "link")->sha256, sha256_hex("text"));
}

TEST_P(KeepingFiles, a_file_and_equal_bytes_are_the_same_payload) {
  const std::string sha256 = *drive.store().keep_payload("same");
  EXPECT_EQ(drive.store().keep_file(file("a", "same"))->sha256, sha256);
  EXPECT_EQ(drive.store().keep_file(file("b", "same"))->sha256, sha256);
}

TEST_P(KeepingFiles, what_is_no_regular_file_is_refused_and_nobody_waits_for_it) {
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& path :
       {pipe, folder.path(), folder.path() / "missing", std::filesystem::path("/dev/null"),
        folder.path() / "missing" / "too", std::filesystem::path()}) {
    const Result<KeptFile> kept = drive.store().keep_file(path);
    ASSERT_FALSE(kept) << path;
    EXPECT_EQ(kept.error().code, ErrorCode::invalid) << kept.error().text();
    EXPECT_THAT(kept.error().text(), testing::HasSubstr("'" + path.string() + "'"));
  }
}

TEST_P(KeepingFiles, a_source_that_breaks_off_is_the_answer_and_nothing_is_kept) {
  const std::string piece(300'000, 'x');
  for (const bool is_long : {false, true}) {
    int calls = 0;
    const Result<KeptFile> kept = drive.store().keep_stream([&](const ByteSink& sink) -> Status {
      ++calls;
      for (int i = 0; i < (is_long ? 8 : 1); ++i) {
        if (Status taken = sink(piece); !taken) return taken;
      }
      return fail(ErrorCode::unavailable, "stopped here");
    });
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error(), (Error{ErrorCode::unavailable, "stopped here", {}}));
    EXPECT_EQ(calls, 1);
  }
  EXPECT_FALSE(drive.records().payload(sha256_hex(piece)));
  const Result<KeptFile> later = drive.store().keep_file(file("later", piece));
  ASSERT_TRUE(later) << later.error().text();
  EXPECT_EQ(drive.records().payload(later->sha256).value(), piece);
}

TEST_P(KeepingFiles, a_payload_can_be_read_from_any_byte_on) {
  std::string bytes;
  for (int i = 0; bytes.size() < 2'500'000; ++i) bytes += std::to_string(i) + '\0';
  const std::string sha256 = *drive.store().keep_payload(bytes);
  for (const std::size_t step : {std::size_t{700'001}, std::size_t{1} << 20U, bytes.size() + 1}) {
    std::string read;
    for (;;) {
      const Result<std::string> part =
          drive.records().payload_range(sha256, static_cast<std::int64_t>(read.size()), step);
      ASSERT_TRUE(part) << part.error().text();
      EXPECT_LE(part->size(), step);
      if (part->empty()) break;
      read += *part;
    }
    EXPECT_TRUE(read == bytes) << "in steps of " << step;
  }
  EXPECT_EQ(drive.records().payload_range(sha256, 10'000'000, 100).value(), "");
  const std::string empty = *drive.store().keep_payload("");
  EXPECT_EQ(drive.records().payload_range(empty, 0, 100).value(), "");
  const Result<std::string> missing = drive.records().payload_range(sha256_hex("never"), 0, 1);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
}

TEST_P(KeepingFiles, a_payload_has_a_path_that_others_can_read_and_nobody_writes) {
  const std::string sha256 = *drive.store().keep_payload("for a program");
  const auto path = drive.records().payload_path(sha256);
  ASSERT_TRUE(path) << path.error().text();
  EXPECT_TRUE(path->is_absolute());
  EXPECT_EQ(bytes_of(*path), "for a program");
  EXPECT_EQ(*drive.records().payload_path(sha256), *path);
  struct stat found{};
  ASSERT_EQ(::stat(path->c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0222U, 0U);

  const auto kept = drive.store().keep_file(file("x", "a file"));
  EXPECT_EQ(bytes_of(*drive.records().payload_path(kept->sha256)), "a file");
}

TEST_P(KeepingFiles, a_payload_that_was_never_kept_has_no_path) {
  const auto path = drive.records().payload_path(sha256_hex("never"));
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().code, ErrorCode::not_found);
}

TEST_P(KeepingFiles, several_threads_may_keep_the_same_file_at_once) {
  const std::filesystem::path path = file("a", std::string(300'000, 'x'));
  std::vector<std::jthread> threads;
  std::array<Result<KeptFile>, 4> kept{KeptFile{}, KeptFile{}, KeptFile{}, KeptFile{}};
  for (Result<KeptFile>& one : kept) {
    threads.emplace_back([&] { one = drive.store().keep_file(path); });
  }
  threads.clear();
  for (const Result<KeptFile>& one : kept) {
    ASSERT_TRUE(one) << one.error().text();
    EXPECT_EQ(one->sha256, sha256_hex(std::string(300'000, 'x')));
  }
}

}  // namespace
}  // namespace pawl::driving
