#include "sqlite/sqlite_records.hpp"

#include "pawl/codec/workflow.hpp"
#include "sqlite/attempt_codec.hpp"
#include "sqlite/due.hpp"
#include "sqlite/item_codec.hpp"
#include "sqlite/job_codec.hpp"
#include "sqlite/reading.hpp"
#include "sqlite/review_codec.hpp"
#include "sqlite/sql_text.hpp"

namespace pawl::sqlite {

namespace {

constexpr auto select_job = joined("SELECT ", job_columns, " FROM jobs WHERE id = ?1");
constexpr auto select_jobs =
    joined("SELECT ", job_columns,
           " FROM jobs WHERE id < ?1 AND (?2 IS NULL OR (ended_at <> 0) = ?2) "
           "AND (?3 IS NULL OR workflow_name = ?3) ORDER BY id DESC LIMIT ?4");
constexpr auto select_unended_jobs =
    joined("SELECT ", job_columns,
           " FROM jobs WHERE ended_at = 0 AND id < ?1 "
           "AND (?2 IS NULL OR workflow_name = ?2) ORDER BY id DESC LIMIT ?3");
constexpr char select_definition[] = "SELECT definition FROM workflows WHERE hash = ?1";
constexpr char select_range[] = "SELECT first_ordinal, last_ordinal FROM jobs WHERE id = ?1";

constexpr auto select_item = joined("SELECT ", item_columns, " FROM items WHERE id = ?1");
constexpr auto select_item_with_key =
    joined("SELECT ", item_columns, " FROM items WHERE job = ?1 AND key = ?2");
// The range of the job's ordinals is what is searched; the unary plus keeps the planner from
// taking the index by key, which has another order.
constexpr auto select_items =
    joined("SELECT ", item_columns,
           " FROM items WHERE id > ?1 AND id >= ?2 AND id <= ?3 AND (?4 = 0 OR +job = ?4) "
           "AND (?5 IS NULL OR +state = ?5) AND (?6 IS NULL OR category = ?6) "
           "ORDER BY id LIMIT ?7");
constexpr auto select_failed_items =
    joined("SELECT ", item_columns,
           " FROM items WHERE state = 3 AND job = ?1 AND id > ?2 "
           "AND (?3 IS NULL OR category = ?3) ORDER BY id LIMIT ?4");

constexpr auto select_reviews = joined("SELECT ", review_columns,
                                       " FROM reviews WHERE id > ?1 AND (?2 = 0 OR +job = ?2) "
                                       "AND (?3 IS NULL OR +status = ?3) ORDER BY id LIMIT ?4");
constexpr auto select_reviews_of_task =
    joined("SELECT ", review_columns,
           " FROM reviews WHERE task = ?1 AND id > ?2 AND (?3 = 0 OR +job = ?3) "
           "AND (?4 IS NULL OR +status = ?4) ORDER BY id LIMIT ?5");
constexpr auto select_pending_reviews =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_pending WHERE status < 3 AND job = ?1 AND id > ?2 "
           "AND +status = ?3 ORDER BY id LIMIT ?4");
constexpr auto select_all_pending_reviews =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_pending WHERE status < 3 AND id > ?1 "
           "AND +status = ?2 ORDER BY id LIMIT ?3");

constexpr auto select_workers = joined("SELECT ", worker_columns, " FROM workers ORDER BY id");

constexpr std::int64_t everything = INT64_MAX;

std::optional<std::string_view> if_named(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return std::string_view(text);
}

std::vector<Job> jobs_from(Cursor row) {
  std::vector<Job> jobs;
  while (row.next()) jobs.push_back(job_row_of(row).job);
  return jobs;
}
std::vector<Item> items_from(Cursor row) {
  std::vector<Item> items;
  while (row.next()) items.push_back(item_of(row));
  return items;
}
std::vector<Review> reviews_from(Cursor row) {
  std::vector<Review> reviews;
  while (row.next()) reviews.push_back(review_of(row));
  return reviews;
}

}  // namespace

std::unexpected<Error> no_such(std::string_view what, std::int64_t id) {
  return fail(ErrorCode::not_found, "no " + std::string(what) + " " + std::to_string(id));
}

OrdinalRange ordinals_of(Connection& connection, JobId job) {
  // A task's id has 47 bits for the ordinal.
  constexpr std::int64_t last_possible = (std::int64_t{1} << 46) - 1;
  if (!job) return {.first = 0, .last = last_possible};
  Cursor row = connection.prepared(select_range).query(job);
  if (!row.next()) return {};
  return {.first = row.integer(0), .last = row.integer(1)};
}

Result<Job> SqliteRecords::job(JobId id) {
  return read([&](Connection& connection) -> Result<Job> {
    Cursor row = connection.prepared(select_job).query(id);
    if (!row.next()) return no_such("job", id.value());
    return job_row_of(row).job;
  });
}

Result<std::vector<Job>> SqliteRecords::jobs(const JobFilter& filter) {
  return read([&](Connection& connection) -> Result<std::vector<Job>> {
    const std::int64_t before = filter.before ? filter.before.value() : everything;
    const auto name = if_named(filter.workflow_name);
    if (filter.ended == false) {
      return jobs_from(connection.prepared(select_unended_jobs).query(before, name, filter.limit));
    }
    return jobs_from(
        connection.prepared(select_jobs).query(before, filter.ended, name, filter.limit));
  });
}

Result<Workflow> SqliteRecords::workflow(std::string_view hash) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = workflows_.find(hash);
    if (known != workflows_.end()) return known->second;
  }
  Result<Workflow> found = read([&](Connection& connection) -> Result<Workflow> {
    Cursor row = connection.prepared(select_definition).query(hash);
    if (!row.next()) return fail(ErrorCode::not_found, "no workflow " + std::string(hash));
    return workflow_from(row.json(0));
  });
  if (found) {
    const std::lock_guard lock(mutex_);
    workflows_.emplace(std::string(hash), *found);
  }
  return found;
}

Result<Item> SqliteRecords::item(ItemId id) {
  return read([&](Connection& connection) -> Result<Item> {
    Cursor row = connection.prepared(select_item).query(id);
    if (!row.next()) return no_such("item", id.value());
    return item_of(row);
  });
}

Result<Item> SqliteRecords::item(JobId job, std::string_view key) {
  return read([&](Connection& connection) -> Result<Item> {
    Cursor row = connection.prepared(select_item_with_key).query(job, key);
    if (!row.next()) {
      return fail(ErrorCode::not_found,
                  "no item '" + std::string(key) + "' in job " + std::to_string(job.value()));
    }
    return item_of(row);
  });
}

Result<std::vector<Item>> SqliteRecords::items(const ItemFilter& filter) {
  return read([&](Connection& connection) -> Result<std::vector<Item>> {
    const auto category = if_named(filter.category);
    if (filter.state == ItemState::failed && filter.job) {
      return items_from(connection.prepared(select_failed_items)
                            .query(filter.job, filter.after, category, filter.limit));
    }
    const OrdinalRange range = ordinals_of(connection, filter.job);
    return items_from(connection.prepared(select_items)
                          .query(filter.after, range.first, range.last, filter.job, filter.state,
                                 category, filter.limit));
  });
}

Result<std::vector<Attempt>> SqliteRecords::attempts(TaskId task) {
  return read([&](Connection& connection) -> Result<std::vector<Attempt>> {
    return attempts_of(connection, task);
  });
}

Result<Review> SqliteRecords::review(ReviewId id) {
  return read([&](Connection& connection) -> Result<Review> {
    std::optional<Review> review = review_with_id(connection, id);
    if (!review) return no_such("review", id.value());
    return *std::move(review);
  });
}

Result<std::vector<Review>> SqliteRecords::reviews(const ReviewFilter& filter) {
  return read([&](Connection& connection) -> Result<std::vector<Review>> {
    if (filter.task) {
      return reviews_from(
          connection.prepared(select_reviews_of_task)
              .query(filter.task, filter.after, filter.job, filter.status, filter.limit));
    }
    const bool is_pending = filter.status && *filter.status < ReviewStatus::closed;
    if (is_pending && filter.job) {
      return reviews_from(connection.prepared(select_pending_reviews)
                              .query(filter.job, filter.after, filter.status, filter.limit));
    }
    if (is_pending) {
      return reviews_from(connection.prepared(select_all_pending_reviews)
                              .query(filter.after, filter.status, filter.limit));
    }
    return reviews_from(connection.prepared(select_reviews)
                            .query(filter.after, filter.job, filter.status, filter.limit));
  });
}

Result<std::vector<WorkerRecord>> SqliteRecords::workers() {
  return read([&](Connection& connection) -> Result<std::vector<WorkerRecord>> {
    std::vector<WorkerRecord> workers;
    for (Cursor row = connection.prepared(select_workers).query(); row.next();) {
      workers.push_back(worker_of(row));
    }
    return workers;
  });
}

Result<WorkerRecord> SqliteRecords::worker(WorkerId id) {
  return read([&](Connection& connection) -> Result<WorkerRecord> {
    std::optional<WorkerRecord> worker = worker_with_id(connection, id);
    if (!worker) return no_such("worker", id.value());
    return *std::move(worker);
  });
}

Result<std::string> SqliteRecords::payload(std::string_view sha256) {
  return guarded(path_, [&]() -> Result<std::string> { return payloads_.read(sha256); });
}

Result<std::filesystem::path> SqliteRecords::payload_path(std::string_view sha256) {
  return guarded(path_, [&]() -> Result<std::filesystem::path> {
    return std::filesystem::absolute(payloads_.find(sha256));
  });
}

}  // namespace pawl::sqlite
