// Stores that older versions have made go on under this one.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "contract/drive.hpp"
#include "golden/description.hpp"
#include "pawl/store/verify.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/schema.hpp"

namespace pawl {
namespace {

using driving::Drive;
using driving::StoreKind;
using driving::succeeded;
using driving::Work;
using sqlite::Connection;

std::filesystem::path archive(std::int64_t version) {
  return std::filesystem::path(PAWL_GOLDEN_FOLDER) /
         ("schema_" + std::to_string(version) + ".tar.gz");
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A copy of the golden store of one version of the schema, as a killed process left it.
class Copy : public sqlite::Folder {
 public:
  explicit Copy(std::int64_t version) {
    const std::string unpack = "tar -xzf '" + archive(version).string() + "' -C '" +
                               path().string() + "' --strip-components=1";
    if (std::system(unpack.c_str()) != 0) ADD_FAILURE() << unpack;
  }
  [[nodiscard]] std::filesystem::path store() const { return path() / "store.db"; }
  [[nodiscard]] std::string expected() const { return text_of(path() / "expected.jsonl"); }
  [[nodiscard]] Timestamp made_at() const {
    return Timestamp{Duration{std::stoll(text_of(path() / "made_at"))}};
  }
};

void expect_sound(Records& records) {
  const Result<Verification> found = verify(records);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_GT(found->attempts, 20);
  EXPECT_EQ(found->payloads, 1);
  for (const Violation& one : found->violations) {
    ADD_FAILURE() << one.invariant << ": " << one.message;
  }
}

/// What the database says of its own tables and indexes.
std::map<std::string, std::string> schema_of(const std::filesystem::path& path) {
  Connection connection(path, Connection::Mode::read_write);
  std::map<std::string, std::string> found;
  sqlite::Statement select(connection.raw(),
                           "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema "
                           "WHERE name NOT LIKE 'sqlite_%'");
  for (sql::Cursor row = select.query(); row.next();) found[row.text(0)] = row.text(1);
  return found;
}

class Golden : public testing::TestWithParam<std::int64_t> {
 protected:
  Copy copy{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Schema, Golden,
                         testing::Range<std::int64_t>(1, sqlite::schema_version() + 1),
                         testing::PrintToStringParamName());

TEST(GoldenStores, are_there_for_every_version_of_the_schema) {
  for (std::int64_t version = 1; version <= sqlite::schema_version(); ++version) {
    EXPECT_TRUE(std::filesystem::exists(archive(version)))
        << "schema " << version << " has no golden store: commit its migration, then run\n"
        << "  tests/golden/make.sh HEAD schema_" << version;
  }
}

// A schema is what its stores have: a migration that was on main is never changed.
TEST_P(Golden, its_tables_are_those_that_the_migrations_make) {
  const sqlite::Folder folder;
  const auto version = static_cast<std::size_t>(GetParam());
  {
    sqlite::Turnstile turnstile(folder / "fresh.db");
    Connection connection(folder / "fresh.db", Connection::Mode::create);
    sqlite::bring_up_to_date(connection, turnstile, folder / "fresh.db", true,
                             sqlite::migrations().first(version));
  }
  EXPECT_EQ(schema_of(copy.store()), schema_of(folder / "fresh.db"))
      << "a migration that stores have gone through was changed: add a new one at the end, and\n"
      << "make a golden store of it (tests/golden/README.md)";
}

TEST_P(Golden, opens_with_every_row_as_it_was_and_opens_again) {
  for (int opening = 0; opening < 2; ++opening) {
    const auto store = sqlite::must_open({.path = copy.store()});
    EXPECT_EQ(golden::describe(store->records()), copy.expected());
    expect_sound(store->records());
  }
  Connection connection(copy.store(), Connection::Mode::read_only);
  EXPECT_EQ(connection.integer("PRAGMA user_version"), sqlite::schema_version());
}

TEST_P(Golden, goes_on_to_its_end) {
  Drive drive(StoreKind{.name = "golden", .open = [&](const Clock& clock) {
                          return sqlite::must_open({.path = copy.store()}, clock);
                        }});
  // The lease of the process that was killed has run out by then.
  drive.clock().advance_to(copy.made_at() + std::chrono::hours(2));
  const JobId job{1};
  const auto work = [&] {
    drive.work([](const Claimed&) -> Work { return {.closed = succeeded(), .children = {}}; });
  };
  work();
  EXPECT_EQ(drive.task(job, "killed").attempts, 2U) << "interrupted, and run again";
  EXPECT_EQ(drive.task(job, "later").kind(), StateKind::succeeded);
  while (!drive.job(job).has_ended()) {
    const auto open =
        golden::must(drive.records().reviews({.job = job, .status = ReviewStatus::open}));
    ASSERT_FALSE(open.empty());
    for (const Review& review : open) {
      const Result<Job> answered = drive.act(
          AnswerReview{review.id, {.outcome = ReviewOutcome::approve, .reviewer = "ada"}});
      ASSERT_TRUE(answered) << answered.error().text();
    }
    work();
  }
  expect_sound(drive.records());
  const Job ended = drive.job(job);
  EXPECT_EQ(ended.items.settled(), 12);
  EXPECT_EQ(ended.items.cancelled, 1);
  EXPECT_EQ(ended.items.failed, 2);
  EXPECT_EQ(state_of(drive.job(JobId{2})), JobState::completed);
  // The dead letter of an older version is retried like any other.
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "dead")}));
  work();
  EXPECT_EQ(drive.task(job, "dead").kind(), StateKind::succeeded);
  expect_sound(drive.records());
}

TEST_P(Golden, a_store_of_a_newer_version_is_refused_and_left_as_it_is) {
  (void)sqlite::must_open({.path = copy.store()});
  {
    Connection connection(copy.store(), Connection::Mode::read_write);
    connection.run("PRAGMA user_version = " + std::to_string(sqlite::schema_version() + 1));
  }
  const auto before = copy.content();
  const Result<std::shared_ptr<Store>> opened = open_sqlite_store({.path = copy.store()});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::refused);
  EXPECT_THAT(opened.error().message,
              testing::HasSubstr("written by a newer pawl (schema " +
                                 std::to_string(sqlite::schema_version() + 1)));
  EXPECT_EQ(copy.content(), before);
}

}  // namespace
}  // namespace pawl
