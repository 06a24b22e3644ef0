/// The length of reads: the cost of a page does not depend on the length of the history, and no
/// read keeps the write-ahead log from being checkpointed for long.

#include <map>

#include <sqlite3.h>

#include "contract/every_read.hpp"
#include "sqlite/db.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/statement_record.hpp"

namespace pawl::sqlite {
namespace {

using driving::EveryRead;
using driving::LongHistory;
using driving::Read;

std::map<std::string, ReadCost> costs_of(StatementRecord& record, LongHistory& history) {
  std::map<std::string, ReadCost> costs;
  for (const Read& read : EveryRead(history).reads) costs[read.name] = record.cost_of(read.run);
  return costs;
}

TEST(ReadLengths, a_page_costs_the_same_however_long_the_history_is) {
  const Folder folder;
  StatementRecord record;
  LongHistory shorter(folder / "a.db", 200);
  LongHistory longer(folder / "b.db", 2'000);
  const std::map<std::string, ReadCost> before = costs_of(record, shorter);
  for (const Read& read : EveryRead(longer).reads) {
    const ReadCost after = record.cost_of(read.run);
    const ReadCost at_first = before.at(read.name);
    EXPECT_GT(after.steps, 0) << read.name;
    // If rows are skipped, there are more reads, but none is long.
    const std::int64_t measured = read.passes_over.empty() ? after.steps : after.longest;
    EXPECT_LE(measured, read.passes_over.empty() ? at_first.steps * 5 / 4 + 250 : 100'000)
        << read.name << ": " << at_first.steps << " steps became " << after.steps << ", "
        << after.longest << " of them in one of " << after.transactions << " transactions";
  }
}

/// Copies the whole log into the file and empties it; false if a reader prevents that.
bool can_empty_log(const std::filesystem::path& path) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  // Only now the connection knows that there is a log.
  EXPECT_EQ(sqlite3_exec(db, "SELECT count(*) FROM pools", nullptr, nullptr, nullptr), SQLITE_OK);
  const int code =
      sqlite3_wal_checkpoint_v2(db, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_close(db);
  return code == SQLITE_OK;
}

TEST(ReadLengths, between_two_pages_no_reader_keeps_the_log_from_being_emptied) {
  const Folder folder;
  const std::filesystem::path path = folder / "a.db";
  LongHistory history(path, 50);
  Records& records = history.records();
  EventSeq after = 0;
  int pages = 0;
  for (bool more = true; more; ++pages) {
    const std::vector<Event> page = *records.events({.after = after, .limit = 10});
    more = page.size() == 10;
    if (more) after = page.back().seq;
    EXPECT_TRUE(records.items({.job = history.settled, .limit = 10}));
    ASSERT_TRUE(history.drive().act(PauseJob{history.waiting}));
    ASSERT_TRUE(history.drive().act(ResumeJob{history.waiting}));
    ASSERT_TRUE(can_empty_log(path)) << "after page " << pages;
    EXPECT_EQ(std::filesystem::file_size(path.string() + "-wal"), 0u);
    if (pages > 100) break;  // each turn writes two events and reads ten
  }
  EXPECT_GT(pages, 50);
}

/// Writes and reads on, one page per commit, as a subscriber does. Returns the largest size of the
/// log.
std::uintmax_t largest_log(const std::filesystem::path& path, int commits) {
  const auto store = must_open({.path = path, .durability = SqliteOptions::Durability::normal});
  const JobId job = store->create_job({.workflow = two_stages()})->id;
  const Json data(std::string(8'000, 'x'));
  EventSeq after = 0;
  std::uintmax_t largest = 0;
  for (int i = 0; i < commits; ++i) {
    std::vector<NewItem> items(20);
    for (std::size_t j = 0; j < items.size(); ++j) {
      items[j].key = std::to_string(i) + "-" + std::to_string(j);
      items[j].data = data;
    }
    EXPECT_TRUE(store->add_items({.job = job, .items = items}));
    EXPECT_TRUE(store->act(PauseJob{job}));
    EXPECT_TRUE(store->act(ResumeJob{job}));
    const std::vector<Event> page = *store->records().events({.after = after, .limit = 2});
    if (!page.empty()) after = page.back().seq;
    EXPECT_TRUE(store->records().items({.job = job, .limit = 100}));
    largest = std::max(largest, std::filesystem::file_size(path.string() + "-wal"));
  }
  return largest;
}

TEST(ReadLengths, the_log_stays_small_beside_readers_that_page_and_not_beside_one_that_holds_on) {
  const Folder folder;
  constexpr int commits = 250;                // of about 200 kB each
  constexpr std::uintmax_t bound = 24 << 20;  // it is emptied at 16 MiB, between two commits
  EXPECT_LT(largest_log(folder / "a.db", commits), bound);

  // The same with a snapshot that is kept open, which proves that the check can fail.
  (void)must_open({.path = folder / "b.db"});
  Connection holding(folder / "b.db", Connection::Mode::read_only);
  const Transaction snapshot(holding, Transaction::Kind::read);
  EXPECT_EQ(holding.integer("SELECT count(*) FROM items"), 0);
  EXPECT_GT(largest_log(folder / "b.db", commits), bound);
}

}  // namespace
}  // namespace pawl::sqlite
