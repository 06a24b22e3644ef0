// Stores that older versions created continue to work with this one.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "contract/drive.hpp"
#include "golden/description.hpp"
#include "golden/golden_copy.hpp"
#include "pawl/store/verify.hpp"
#include "postgres/schema.hpp"
#include "sqlite/schema.hpp"

namespace pawl {
namespace {

using driving::Drive;
using driving::StoreKind;
using driving::succeeded;
using driving::Work;
using golden::PostgresCopy;
using golden::SqliteCopy;
using sqlite::Connection;

void expect_sound(Records& records) {
  const Result<Verification> found = verify(records);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_GT(found->attempts, 20);
  EXPECT_EQ(found->payloads, 1);
  for (const Violation& one : found->violations) {
    ADD_FAILURE() << one.invariant << ": " << one.message;
  }
}

/// The tables and indexes of the database.
std::map<std::string, std::string> schema_of(const std::filesystem::path& path) {
  Connection connection(path, Connection::Mode::read_write);
  std::map<std::string, std::string> found;
  sqlite::Statement select(connection.raw(),
                           "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema "
                           "WHERE name NOT LIKE 'sqlite_%'");
  for (sql::Cursor row = select.query(); row.next();) found[row.text(0)] = row.text(1);
  return found;
}

struct Kept {
  std::string name;
  std::int64_t newest = 0;  ///< the schema version of this program
  std::function<std::unique_ptr<golden::Copy>()> unpack;
  friend void PrintTo(const Kept& kept, std::ostream* out) { *out << kept.name; }
};

/// Every version of the schema that was ever on main, of both databases.
std::vector<Kept> every_schema() {
  std::vector<Kept> all;
  const std::int64_t sqlite = sqlite::schema_version();
  for (std::int64_t version = 1; version <= sqlite; ++version) {
    all.push_back({.name = "schema_" + std::to_string(version), .newest = sqlite, .unpack = [=] {
                     return std::make_unique<SqliteCopy>(version);
                   }});
  }
  const auto postgres = static_cast<std::int64_t>(postgres::migrations().size());
  for (std::int64_t version = 1; version <= postgres; ++version) {
    all.push_back({.name = "postgres_" + std::to_string(version),
                   .newest = postgres,
                   .unpack = [=] { return std::make_unique<PostgresCopy>(version); }});
  }
  return all;
}

class Golden : public testing::TestWithParam<Kept> {
 protected:
  std::shared_ptr<Store> open(const Clock& clock) { return golden::must(copy->open(clock)); }
  std::unique_ptr<golden::Copy> copy = GetParam().unpack();
};

INSTANTIATE_TEST_SUITE_P(, Golden, testing::ValuesIn(every_schema()),
                         [](const auto& tested) { return tested.param.name; });

TEST(GoldenStores, are_there_for_every_version_of_the_schema) {
  for (const Kept& kept : every_schema()) {
    EXPECT_TRUE(std::filesystem::exists(golden::archive(kept.name)))
        << kept.name << " has no golden store: commit its migration, then run\n"
        << "  tests/golden/make.sh HEAD " << kept.name;
  }
}

class GoldenFile : public testing::TestWithParam<std::int64_t> {};

INSTANTIATE_TEST_SUITE_P(Schema, GoldenFile,
                         testing::Range<std::int64_t>(1, sqlite::schema_version() + 1),
                         testing::PrintToStringParamName());

// A schema is what its stores have: a released migration is never changed.
TEST_P(GoldenFile, its_tables_are_those_that_the_migrations_make) {
  const SqliteCopy copy(GetParam());
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
    const std::shared_ptr<Store> store = open(system_clock());
    EXPECT_EQ(golden::describe(*store), copy->expected());
    expect_sound(store->records());
  }
  EXPECT_EQ(copy->version(), GetParam().newest);
}

TEST_P(Golden, goes_on_to_its_end) {
  Drive drive(StoreKind{.name = "golden", .open = [&](const Clock& clock) { return open(clock); }});
  // By then, the lease of the killed process has expired.
  drive.clock().advance_to(copy->made_at() + std::chrono::hours(2));
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
  const std::int64_t newer = GetParam().newest + 1;
  (void)open(system_clock());
  copy->set_version(newer);
  const std::string before = copy->bytes();
  const Result<std::shared_ptr<Store>> opened = copy->open(system_clock());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::refused);
  EXPECT_THAT(opened.error().message,
              testing::HasSubstr("written by a newer pawl (schema " + std::to_string(newer)));
  EXPECT_EQ(copy->bytes(), before);
}

}  // namespace
}  // namespace pawl
