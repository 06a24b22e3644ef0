/// A store of an older version may contain text that no store accepts today: NUL in SQLite. Its
/// jobs can still be moved.

#include <string>

#include <gmock/gmock.h>

#include "contract/store_kinds.hpp"
#include "core/record_text.hpp"
#include "sqlite/db.hpp"
#include "transfer/busy_job.hpp"

namespace pawl::driving {
namespace {

using namespace std::string_literals;

class OldText : public testing::TestWithParam<StoreKind> {
 protected:
  StoreKind file() const {
    return {.name = "file", .open = [this](const Clock& clock) {
              return open_sqlite_store({.path = folder_ / "store.db"}, clock).value();
            }};
  }
  /// Puts a zero byte where older versions accepted it: raw, and escaped in JSON and in the log.
  void put_zero_bytes() const {
    sqlite::Connection connection(folder_ / "store.db", sqlite::Connection::Mode::read_write);
    const std::string zero = " || CAST(x'007A' AS TEXT)";
    connection.run("UPDATE jobs SET key = 'job'" + zero);
    connection.run("UPDATE items SET key = key" + zero + ", category = 'c'" + zero);
    connection.run("UPDATE lane_groups SET category = 'c'" + zero);
    connection.run("UPDATE tasks SET child_key = child_key" + zero);
    connection.run("UPDATE attempts SET summary = 'sum'" + zero);
    // Older versions have neither rows of answers nor an audit trail.
    connection.run("DELETE FROM review_answers");
    connection.run("DELETE FROM audit");
    connection.run("UPDATE reviews SET claimed_by = 'eve'" + zero);
    connection.run(R"(UPDATE reviews SET answer = replace(answer, '"eve"', '"e\u0000e"'))");
    connection.run(R"(UPDATE attempts SET error = replace(error, 'broken', 'br\u0000ken'),
                                          feedback = replace(feedback, 'broken', 'br\u0000ken'))");
    connection.run(R"(UPDATE tasks SET feedback = replace(feedback, 'broken', 'br\u0000ken'))");
    connection.run(R"(UPDATE journal SET events = replace(events, 'broken', 'br\0ken'))");
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Stores, OldText, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(OldText, with_zero_bytes_arrives_in_every_store_and_shows_them_as_replacements) {
  Drive from(file());
  const JobId old = busy_job(from);
  put_zero_bytes();
  from.reopen(file());
  ASSERT_EQ(from.job(old).key, "job\0z"s) << "the older store holds it";
  from.expect_sound();

  Drive to(GetParam());
  const Imported here = imported(to.store(), exported(from.records(), old));
  EXPECT_EQ(here.job.key, "job\uFFFDz");
  const Snapshot rows = snapshot_of(to.store());
  ASSERT_EQ(rows.items.size(), 7U);
  EXPECT_EQ(rows.items.front().key, "asked\uFFFDz");
  EXPECT_EQ(rows.items.front().category, "c\uFFFDz");
  for (const Item& item : rows.items) EXPECT_TRUE(has_valid_text(item));
  for (const Task& task : rows.tasks) EXPECT_TRUE(has_valid_text(task));
  for (const Event& event : rows.events) EXPECT_TRUE(has_valid_text(event));
  for (const Review& review : rows.reviews) EXPECT_EQ(review.claimed_by, "eve\uFFFDz");
  bool is_error_seen = false;
  for (const Attempt& attempt : rows.attempts) {
    EXPECT_EQ(attempt.summary, "sum\uFFFDz");
    if (attempt.error) is_error_seen = is_error_seen || attempt.error->message == "br\uFFFDken";
  }
  EXPECT_TRUE(is_error_seen);

  // The job continues: nothing that it uses is refused.
  EXPECT_TRUE(to.act(ResumeJob{here.job.id}));
  EXPECT_GT(to.work(busy_work), 0);
  to.expect_sound();
}

}  // namespace
}  // namespace pawl::driving
