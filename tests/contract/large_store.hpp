#pragma once

/// A store with a million rows of each kind, written by SQL past the store, and the lists that must
/// stay short reads in it.
///
/// The rows are copies of those of one real item, with other ids. Nearly all of them are alike; a
/// few, far apart, are what the lists ask for: a plan that looks for the few among the many is far
/// over its limit.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "contract/drive.hpp"
#include "pawl/core/review_rules.hpp"

namespace pawl::driving {

/// How to write SQL to a database.
struct Database {
  /// A table `n` of the numbers from 1 to a million in its column `i`.
  std::string numbers;
  std::function<std::vector<std::string>(const std::string& table)> columns;
  std::function<void(const std::string& sql)> run;
};

/// The job with the million items, and their ids.
inline constexpr JobId large_job{1};
inline constexpr std::int64_t large_count = 1'000'000;
/// Every row whose number is a multiple of this is one of the few.
inline constexpr std::int64_t large_gap = 200'000;

/// Item 1: its first stage has succeeded, its second awaits a review, and its job was paused.
inline void seed_large_store(Store& store, ManualClock& clock) {
  StageDefinition draft = stage("draft", {"scan"});
  draft.review = ReviewPolicy::always;
  const Workflow flow = workflow("large", {stage("scan"), draft});
  const std::vector<NewItem> items{{.key = "seed"}};
  const Job job = store.submit({.workflow = flow}, {.job = {}, .items = items, .close = true})->job;
  ASSERT_EQ(job.id, large_job);
  const WorkerId worker =
      *store.enlist({.host = "here", .pid = 1, .name = "seed", .lease = std::chrono::hours(1)});
  BatchNumber batch = 0;
  for (int i = 0; i < 2; ++i) {
    ClaimRequest request{.worker = worker, .shares = {}};
    const std::vector<LaneHead> heads = *store.ready_lanes();
    for (const LaneHead& head : heads) {
      request.shares.push_back({.job = head.job, .lanes = {{head.lane, head.stage}}, .max = 1});
    }
    const Claims claims = *store.claim(request);
    ASSERT_EQ(claims.opened.size(), 1U);
    Attempt closed = succeeded();
    closed.ended_at = clock.now();
    const Task& task = claims.opened.front().task;
    const Step step = close(flow.stage(task.stage()), task, closed, {});
    ASSERT_TRUE(store.commit(worker, ++batch, std::span(&step, 1)));
  }
  ASSERT_TRUE(store.act(PauseJob{job.id}, Actor{.name = "eve"}));
}

class LargeFilling {
 public:
  explicit LargeFilling(const Database& database) : database_(database) {}

  void fill() {
    const std::string is_few = "i % " + std::to_string(large_gap) + " = 0";
    const std::string few = "CASE WHEN " + is_few + " THEN ";
    const std::string never = std::to_string(INT64_MAX);
    copy("items", "id = 1",
         {{"id", "1 + i"},
          {"key", few + "'few-' ELSE 'many-' END || i"},
          {"state", few + "3 ELSE 2 END"},
          {"sinks_left", "0"}});
    // Two tasks of each item, for half of the items.
    copy("tasks", "id = 65536",
         {{"id", "(2 + i / 2) * 65536 + i % 2"},
          {"item", "2 + i / 2"},
          {"state", few + "8 ELSE 6 END"},
          {"reason", few + "1 END"},
          {"discarded", few + "0 END"}});
    // One half of the reviews is still open.
    copy("reviews", "id = 1",
         {{"id", "1 + i"},
          {"task", "(1 + i) * 65536 + 1"},
          {"item", "1 + i"},
          {"status", "CASE WHEN i % 2 = 0 THEN 1 ELSE 4 END"},
          {"assigned", few + "'[\"anna\"]' WHEN i % 4 = 0 THEN '[\"ben\"]' END"},
          {"claimed_by", few + "'anna' END"},
          {"due_at", few + "i WHEN i % 3 = 0 THEN " + never + " ELSE 1000000000000000 + i END"}});
    for (const std::string name : {"anna", "ben"}) {
      database_.run("INSERT INTO review_queue (assignee, due, review) SELECT '" + name +
                    "', due_at, id FROM reviews WHERE status < 3 AND assigned = '[\"" + name +
                    "\"]'");
    }
    copy("audit", "number = (SELECT max(number) FROM audit)",
         {{"number", "1000 + i"},
          {"actor", few + "'olga' ELSE 'eve' END"},
          {"act", few + "'job.trust' ELSE 'job.pause' END"},
          {"job", few + "2 ELSE 1 END"}});
    copy("journal", "row = 1", {{"row", "1000 + i"}});
    database_.run("UPDATE jobs SET last_ordinal = " + std::to_string(large_count + 1));
  }

 private:
  using Changes = std::map<std::string, std::string>;

  /// Inserts a million copies of one row, with these columns changed.
  void copy(const std::string& table, const std::string& row, const Changes& changes) {
    std::string columns;
    std::string values;
    for (const std::string& column : database_.columns(table)) {
      const auto changed = changes.find(column);
      columns += (columns.empty() ? "" : ", ") + column;
      values +=
          (values.empty() ? "" : ", ") + (changed == changes.end() ? column : changed->second);
    }
    database_.run(database_.numbers + "INSERT INTO " + table + " (" + columns + ") SELECT " +
                  values + " FROM " + table + " CROSS JOIN n WHERE " + row);
  }

  const Database& database_;
};

/// A read, and how many rows or entries of an index it may look at.
struct LargeRead {
  std::string name;
  std::int64_t rows = 0;
  std::function<void(Records&)> run;
};

class LargeReads {
 public:
  LargeReads() {
    inboxes();
    tasks();
    searches();
    counts();
    audit();
    add("the newest event", 5, [](Records& records) { return records.last_event(); });
  }

  std::vector<LargeRead> reads;

 private:
  static constexpr std::uint32_t page = 20;
  static constexpr std::int64_t page_rows = 150;      ///< a page, and the lists that it merges
  static constexpr std::int64_t tally_rows = 8'000;   ///< up to a thousand rows, from few lists
  static constexpr std::int64_t search_rows = 8'000;  ///< one look at a thousand keys or tasks
  static constexpr std::int64_t middle = large_count / 2;

  template <class Body>
  void add(std::string name, std::int64_t rows, Body body) {
    const auto run = [name, body](Records& records) {
      const auto answer = body(records);
      EXPECT_TRUE(answer) << name << ": " << (answer ? "" : answer.error().text());
    };
    reads.push_back({std::move(name), rows, run});
  }
  /// A list, whose first page has this many rows.
  template <class Body>
  void add_list(const std::string& name, std::int64_t rows, std::size_t size, Body body) {
    add(name, rows, [name, size, body](Records& records) {
      auto answer = body(records);
      if (answer) {
        EXPECT_EQ(answer->size(), size) << name;
      }
      return answer;
    });
  }

  void inbox(const std::string& name, std::size_t size, InboxFilter filter) {
    filter.limit = page;
    add_list("inbox " + name, page_rows, size,
             [filter](Records& records) { return records.inbox(filter); });
    add("count of the inbox " + name, tally_rows,
        [filter](Records& records) { return records.count(filter); });
  }

  void inboxes() {
    const Timestamp due{std::chrono::microseconds(1'000'000'000'000'000 + middle)};
    inbox("of everybody", page, {});
    inbox("of everybody, from the middle", page, {.after_due = due, .after = ReviewId{middle}});
    inbox("of everybody, from the end", page, {.after = ReviewId{middle}});
    inbox("of one person", 5, {.assigned_to = {"anna"}, .open_to_all = false});
    inbox("of one person and what is open to all", page, {.assigned_to = {"anna"}});
    inbox("of another person", page, {.assigned_to = {"ben", "group:editors"}});
    inbox("of a stranger", 0, {.assigned_to = {"nobody"}, .open_to_all = false});
    inbox("of one person, from the middle", page,
          {.assigned_to = {"ben"}, .after_due = due, .after = ReviewId{middle}});
    inbox("claimed by one person", 5, {.claimed_by = "anna"});
    inbox("claimed by nobody", 0, {.claimed_by = "nobody"});
    inbox("that is overdue", 5, {.overdue_at = Timestamp{std::chrono::seconds(100)}});
    inbox("of a job", page, {.job = large_job});
    inbox("of another job", 0, {.job = JobId{2}});
  }

  void tasks() {
    for (const std::uint16_t stage : {std::uint16_t{0}, std::uint16_t{1}}) {
      const TaskFilter filter{.job = large_job, .stage = StageIndex{stage}, .limit = page};
      const std::string name = "tasks of stage " + std::to_string(stage);
      add_list(name, search_rows, page,
               [filter](Records& records) { return records.tasks(filter); });
      TaskFilter later = filter;
      later.after = task_id(middle / 2, StageIndex{});
      add_list(name + ", from the middle", search_rows, page,
               [later](Records& records) { return records.tasks(later); });
      TaskFilter ended = filter;
      ended.state = StateKind::succeeded;
      add_list(name + ", succeeded", search_rows, page,
               [ended](Records& records) { return records.tasks(ended); });
      TaskFilter failed = filter;
      failed.state = StateKind::failed;
      add_list(name + ", failed", page_rows, stage == 0 ? 5 : 0,
               [failed](Records& records) { return records.tasks(failed); });
    }
  }

  void searches() {
    const ItemFilter few{.job = large_job, .key_prefix = "few-", .limit = page};
    add_list("items by a rare beginning of the key", search_rows, 5,
             [few](Records& records) { return records.items(few); });
    const ItemFilter many{.job = large_job, .key_prefix = "many-", .limit = page};
    add_list("items by a common beginning of the key", search_rows, page,
             [many](Records& records) { return records.items(many); });
    ItemFilter later = many;
    later.after = ItemId{middle};
    add_list("items by a common beginning of the key, from the middle", search_rows, page,
             [later](Records& records) { return records.items(later); });
    const ItemFilter none{.job = large_job, .key_prefix = "z", .limit = page};
    add_list("items by a beginning that no key has", page_rows, 0,
             [none](Records& records) { return records.items(none); });
  }

  void expect_count(const std::string& name, std::int64_t rows, auto filter, std::int64_t count) {
    add("count of " + name, rows, [name, filter, count](Records& records) {
      Result<Tally> tally = records.count(filter);
      if (tally) {
        EXPECT_EQ(tally->count, count) << name;
      }
      return tally;
    });
  }

  void counts() {
    expect_count("items", tally_rows, ItemFilter{.job = large_job}, tally_max);
    expect_count("failed items", tally_rows,
                 ItemFilter{.job = large_job, .state = ItemState::failed}, 5);
    expect_count("succeeded items", tally_rows,
                 ItemFilter{.job = large_job, .state = ItemState::succeeded}, tally_max);
    expect_count("items by a rare key", search_rows,
                 ItemFilter{.job = large_job, .key_prefix = "few-"}, 5);
    expect_count("items by a common key", tally_rows,
                 ItemFilter{.job = large_job, .key_prefix = "many-"}, tally_max);
    expect_count("tasks", tally_rows, TaskFilter{.job = large_job}, tally_max);
    expect_count("failed tasks", page_rows,
                 TaskFilter{.job = large_job, .state = StateKind::failed}, 5);
    expect_count("tasks of a stage", search_rows,
                 TaskFilter{.job = large_job, .stage = StageIndex{0}}, tally_max);
  }

  void audit() {
    const auto list = [&](const std::string& name, std::size_t size, AuditFilter filter) {
      filter.limit = page;
      add_list("audit trail " + name, page_rows, size,
               [filter](Records& records) { return records.audit(filter); });
    };
    list("of all", page, {});
    list("from the middle", page, {.after = middle});
    list("of a job", page, {.job = large_job});
    list("of another job", 5, {.job = JobId{2}});
    list("of one person", 5, {.actor = "olga"});
    list("of another person, from the middle", page, {.actor = "eve", .after = middle});
    list("of an act", 5, {.act = "job.trust"});
    list("of a common act, from the middle", page, {.act = "job.pause", .after = middle});
    list("of nobody", 0, {.actor = "nobody"});
    list("of no such act", 0, {.act = "no.act"});
  }
};

}  // namespace pawl::driving
