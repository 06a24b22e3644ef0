// Files that commands hand in: where they may be, which bytes are stored, and how much.

#include "actions/handed_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "actions/workshop.hpp"
#include "pawl/codec/digest.hpp"

namespace pawl::actions {
namespace {

using ::testing::HasSubstr;

class HandingIn : public ::testing::Test {
 protected:
  /// Runs a stage whose result names this path as its file `f`, after `before`.
  Attempt hand_in(const std::string& path, const std::string& before = "true") {
    return shop.run_sh(
        before + "\nprintf '{\"output\":{\"f\":\"%s\"}}' \"" + path + "\" > \"$PAWL_RESULT\"",
        "out: { f: file }\n");
  }
  /// The same with a printed result.
  Attempt print(const std::string& path, const std::string& before = "true") {
    return shop.run_sh(before + "\nprintf '{\"f\":\"%s\"}' \"" + path + "\"",
                       "out: { f: file }\ncapture: json\n");
  }
  static std::string message(const Attempt& attempt) {
    return attempt.error ? attempt.error->message : std::string("fine");
  }
  std::string bytes_of(const Attempt& attempt) {
    const std::string name = field(attempt.output, "f.$file").string().value_or("sha256:none");
    return shop.store->records().payload(name.substr(7)).value_or("(nothing was kept)");
  }
  [[nodiscard]] int payload_files() const {
    int files = 0;
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(shop.folder / "state.db.blobs", ignored)) {
      files += entry.is_regular_file() ? 1 : 0;
    }
    return files;
  }
  void restart_with(std::int64_t bytes_max, std::size_t files_max) {
    shop.engine->stop();
    shop.file_bytes_max = bytes_max;
    shop.files_max = files_max;
    shop.make_engine();
  }

  Workshop shop;
  Folder elsewhere;
};

TEST_F(HandingIn, a_path_outside_of_scratch_directory_and_project_is_refused_for_good) {
  const std::string secret = elsewhere.write("secret.txt", "not yours");
  const Attempt attempt = hand_in(secret);
  ASSERT_TRUE(attempt.error);
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_EQ(attempt.error->kind, ErrorKind::protocol);
  EXPECT_EQ(attempt.error->message, "the output does not fit `out`: f: expected a file, got " +
                                        secret + " lies outside of $PAWL_DIR and of the project " +
                                        shop.folder.path().string() +
                                        "; copy the file to $PAWL_DIR");
  EXPECT_EQ(payload_files(), 0);
}

TEST_F(HandingIn, a_file_of_the_project_is_taken_by_its_absolute_path) {
  shop.folder.write("data/a.txt", "of the project");
  EXPECT_EQ(bytes_of(hand_in("$PWD/data/a.txt")), "of the project");
}

TEST_F(HandingIn, a_link_is_judged_by_where_it_leads) {
  const std::string secret = elsewhere.write("secret.txt", "not yours");
  EXPECT_THAT(message(hand_in("$PAWL_DIR/link", "ln -s " + secret + " \"$PAWL_DIR/link\"")),
              HasSubstr("leads to " + secret + ", which lies outside"));
  EXPECT_THAT(message(hand_in("link", "ln -s " + secret + " \"$PAWL_DIR/link\"")),
              HasSubstr("leads out of $PAWL_DIR"));
  const std::string folder = elsewhere.path();
  EXPECT_THAT(message(hand_in("$PWD/way/secret.txt", "ln -sfn " + folder + " way")),
              HasSubstr("which lies outside"));
  EXPECT_EQ(bytes_of(hand_in("link",
                             "echo here > \"$PAWL_DIR/real\"; ln -s real "
                             "\"$PAWL_DIR/link\"")),
            "here\n");
}

TEST_F(HandingIn, a_printed_path_leads_no_further_than_the_scratch_directory) {
  EXPECT_THAT(message(print("/proc/self/environ")), HasSubstr("f: expected a file, got"));
  shop.folder.write("data/a.txt", "of the project");
  EXPECT_THAT(message(print("$PWD/data/a.txt")), HasSubstr("lies outside of $PAWL_DIR;"));
  EXPECT_THAT(message(print("a.txt", "ln -s \"$PWD/data/a.txt\" \"$PAWL_DIR\"")),
              HasSubstr("leads out of $PAWL_DIR"));
  EXPECT_EQ(payload_files(), 0);
  EXPECT_EQ(bytes_of(print("a.txt", "echo made > \"$PAWL_DIR/a.txt\"")), "made\n");
  EXPECT_EQ(bytes_of(print("$PAWL_DIR/a.txt", "echo made > \"$PAWL_DIR/a.txt\"")), "made\n");
}

TEST_F(HandingIn, files_of_the_kernel_are_refused_wherever_the_project_is) {
  EXPECT_THAT(message(hand_in("/proc/self/environ")), HasSubstr("is not a regular file"));
  const FilePlaces everything{.scratch = shop.folder.path(), .project = "/"};
  EXPECT_FALSE(HandedIn::open(everything, "/proc/self/environ"));
  EXPECT_FALSE(HandedIn::open(everything, "/sys/kernel/mm/transparent_hugepage/enabled"));
  EXPECT_TRUE(HandedIn::open(everything, elsewhere.write("a", "x").string()));
}

TEST_F(HandingIn, an_artifact_is_confined_like_an_output) {
  const std::string secret = elsewhere.write("secret.txt", "not yours");
  const Attempt attempt = shop.run_sh("printf '{\"artifacts\":[{\"name\":\"log\",\"path\":\"" +
                                      secret + "\"}]}' > \"$PAWL_RESULT\"");
  EXPECT_THAT(message(attempt), HasSubstr("the artifact \"log\" cannot be stored: " + secret));
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_EQ(payload_files(), 0);
}

TEST_F(HandingIn, what_an_attempt_was_given_it_may_hand_on) {
  shop.run(R"(
version: 1
workflow: files
stages:
  make:
    sh: |
      printf '# title' > "$PAWL_DIR/a.md"
      echo '{"output":{"f":"a.md"}}' > "$PAWL_RESULT"
    out: { f: file }
  pass:
    needs: [make]
    run: [sh, -c, 'printf "{\"f\":\"%s\"}" "$1"', sh, "${stages.make.out.f}"]
    out: { f: file }
    capture: json
)");
  EXPECT_EQ(field(shop.output("pass"), "f").text(), field(shop.output("make"), "f").text());
}

TEST_F(HandingIn, the_files_of_pawl_itself_are_not_taken) {
  shop.folder.write(".pawl/pawl.db", "everything");
  EXPECT_THAT(message(hand_in("$PWD/.pawl/pawl.db")), HasSubstr("is one of pawl's own files"));
  EXPECT_EQ(payload_files(), 0);
}

TEST_F(HandingIn, an_output_cannot_name_a_file_of_the_store_that_the_attempt_was_not_given) {
  const std::string secret = *shop.store->keep_payload("of another job");
  const std::string forged = R"({"$file":"sha256:)" + secret + R"(","name":"a","size":14})";
  for (const std::string declared : {"out: { f: file }\n", "out: { f: json }\n", ""}) {
    const Attempt attempt =
        shop.run_sh("echo '{\"output\":{\"f\":" + forged + "}}' > \"$PAWL_RESULT\"", declared);
    EXPECT_EQ(message(attempt),
              "the output names a file that the attempt was not given: sha256:" + secret +
                  "; write the file's path, and declare the field as `file`");
    EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  }
}

TEST_F(HandingIn, a_link_in_the_place_of_the_scratch_directory_is_not_trusted) {
  elsewhere.write("secret.txt", "not yours");
  const std::string swap =
      "rmdir \"$PAWL_DIR\"; ln -s " + elsewhere.path().string() + " \"$PAWL_DIR\"";
  EXPECT_THAT(message(hand_in("secret.txt", swap)), HasSubstr("leads out of $PAWL_DIR"));
}

TEST_F(HandingIn, the_bytes_are_those_of_the_file_that_was_checked) {
  const std::string secret = elsewhere.write("secret.txt", "not yours");
  const std::filesystem::path path = shop.folder.write("a.txt", "the one that was checked");
  const FilePlaces places{.scratch = shop.folder.path()};
  const Result<HandedIn> file = HandedIn::open(places, "a.txt");
  ASSERT_TRUE(file) << file.error().text();
  std::filesystem::remove(path);
  std::filesystem::create_symlink(secret, path);
  const Result<KeptFile> kept = shop.store->keep_stream(file->bytes(1'000, {}));
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->sha256, sha256_hex("the one that was checked"));
}

TEST_F(HandingIn, pipes_and_devices_are_refused_and_nobody_waits_for_them) {
  EXPECT_THAT(message(hand_in("pipe", "mkfifo \"$PAWL_DIR/pipe\"")),
              HasSubstr("pipe is not a regular file"));
  EXPECT_THAT(message(hand_in("/dev/zero")), HasSubstr("/dev/zero is not a regular file"));
  EXPECT_THAT(message(hand_in("a\\\\u0000b")),
              HasSubstr("the path is empty or contains a zero byte"));
}

TEST_F(HandingIn, a_copy_stops_between_two_pieces) {
  shop.folder.write("long.bin", std::string(2'000'000, 'x'));
  const Result<HandedIn> file = HandedIn::open({.scratch = shop.folder.path()}, "long.bin");
  ASSERT_TRUE(file);
  std::stop_source stop;
  int pieces = 0;
  const Status read = file->bytes(2'000'000, stop.get_token())([&](std::string_view) -> Status {
    ++pieces;
    stop.request_stop();
    return {};
  });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::unavailable);
  EXPECT_EQ(pieces, 1);
}

TEST_F(HandingIn, a_file_that_grows_beyond_the_quota_while_it_is_copied_is_refused) {
  shop.folder.write("grows.bin", std::string(300'000, 'x'));
  const Result<HandedIn> file = HandedIn::open({.scratch = shop.folder.path()}, "grows.bin");
  ASSERT_TRUE(file);
  const Result<KeptFile> kept = shop.store->keep_stream([&](const ByteSink& sink) {
    return file->bytes(400'000, {})([&](std::string_view piece) {
      std::ofstream(shop.folder / "grows.bin", std::ios::app) << std::string(200'000, 'y');
      return sink(piece);
    });
  });
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::invalid);
  EXPECT_THAT(kept.error().text(), HasSubstr("grew beyond the quota"));
  EXPECT_EQ(payload_files(), 0);
}

TEST_F(HandingIn, more_bytes_than_the_quota_are_refused_for_good_and_none_is_kept) {
  restart_with(1'000'000, 10);
  const std::string make =
      "head -c 600000 /dev/zero > \"$PAWL_DIR/a\"; cp \"$PAWL_DIR/a\" "
      "\"$PAWL_DIR/b\"\n";
  const Attempt attempt =
      shop.run_sh(make +
                      "echo '{\"output\":{\"f\":\"a\"},\"artifacts\":[{\"path\":\"b\"}]}' > "
                      "\"$PAWL_RESULT\"",
                  "out: { f: file }\nretry: { attempts: 3 }\n");
  EXPECT_EQ(attempt.number, 1U);
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_THAT(message(attempt), HasSubstr("larger than its quota of 1,000,000 bytes, with b of "
                                          "600,000 bytes"));
  EXPECT_THAT(message(attempt), HasSubstr("--file-quota"));
  EXPECT_EQ(payload_files(), 0);
  EXPECT_EQ(bytes_of(hand_in("a", make)).size(), 600'000U) << "one of them fits";
}

TEST_F(HandingIn, more_files_than_the_quota_are_refused_for_good_and_none_is_kept) {
  restart_with(1'000'000, 2);
  const std::string make = "for i in a b c; do echo $i > \"$PAWL_DIR/$i\"; done\n";
  const Attempt attempt = shop.run_sh(
      make +
          "echo '{\"output\":{\"f\":\"a\"},\"artifacts\":[{\"path\":\"b\"},{\"path\":\"c\"}]}' "
          "> \"$PAWL_RESULT\"",
      "out: { f: file }\n");
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_THAT(message(attempt), HasSubstr("hands in 3 files, and at most 2 are kept"));
  EXPECT_EQ(payload_files(), 0);
}

TEST_F(HandingIn, the_timeout_of_the_attempt_ends_the_copying_and_leaves_nothing) {
  restart_with(std::int64_t{1} << 50U, 10);
  // A sparse file: created at once, and larger than a disk could write in the time.
  const Attempt attempt = shop.run_sh(
      "truncate -s 200G \"$PAWL_DIR/a\"\necho '{\"output\":{\"f\":\"a\"}}' > "
      "\"$PAWL_RESULT\"",
      "out: { f: file }\ntimeout: 700ms\n");
  EXPECT_EQ(attempt.result, AttemptResult::timed_out);
  EXPECT_EQ(payload_files(), 0);
}

}  // namespace
}  // namespace pawl::actions
