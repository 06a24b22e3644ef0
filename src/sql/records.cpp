#include "sql/records.hpp"

#include <utility>

#include "pawl/core/text.hpp"
#include "sql/attempt_codec.hpp"
#include "sql/due.hpp"
#include "sql/job_codec.hpp"
#include "sql/looking.hpp"
#include "sql/merged_ids.hpp"
#include "sql/reading.hpp"
#include "sql/review_codec.hpp"
#include "sql/sql_text.hpp"
#include "store/fitting.hpp"
#include "store/no_such.hpp"

namespace pawl::sql {

namespace {

constexpr auto select_job = joined("SELECT ", job_columns, " FROM jobs WHERE id = ?1");
constexpr auto select_jobs =
    joined("SELECT ", job_columns, " FROM jobs WHERE id < ?1 ORDER BY id DESC LIMIT ?2");
constexpr auto select_unended_jobs =
    joined("SELECT ", job_columns,
           " FROM jobs INDEXED BY jobs_unended WHERE ended_at = 0 AND id < ?1 "
           "ORDER BY id DESC LIMIT ?2");
constexpr auto select_jobs_of_workflow =
    joined("SELECT ", job_columns,
           " FROM jobs INDEXED BY jobs_by_workflow WHERE workflow_name = ?1 AND id < ?2 "
           "ORDER BY id DESC LIMIT ?3");
constexpr char select_definition[] = "SELECT definition FROM workflows WHERE hash = ?1";
// Starts at the first name, so that the primary key is used.
constexpr char select_pools[] = "SELECT name, open FROM pools WHERE name >= '' ORDER BY name";
constexpr char select_range[] = "SELECT first_ordinal, last_ordinal FROM jobs WHERE id = ?1";

constexpr auto select_reviews =
    joined("SELECT ", review_columns, " FROM reviews WHERE id > ?1 ORDER BY id LIMIT ?2");
constexpr auto select_reviews_of_task =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_of_task WHERE task = ?1 AND id > ?2 "
           "ORDER BY id LIMIT ?3");
constexpr auto select_reviews_by_status =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_by_status WHERE status = ?1 AND id > ?2 "
           "ORDER BY id LIMIT ?3");
constexpr char select_review_ids_of_job[] =
    "SELECT id FROM reviews INDEXED BY reviews_of_job WHERE job = ?1 AND status = ?2 AND id > ?3 "
    "ORDER BY id LIMIT ?4";

/// As the write side finds it: the newest opening whose number is at most the `count`-th newest's.
constexpr char select_opening[] =
    "SELECT at FROM rate_marks WHERE pool = ?1 AND number <= "
    "(SELECT max(number) FROM rate_marks WHERE pool = ?1) - ?2 ORDER BY number DESC LIMIT 1";
constexpr auto select_workers = joined("SELECT ", worker_columns, " FROM workers ORDER BY id");

constexpr std::int64_t everything = INT64_MAX;

std::vector<Job> jobs_from(Cursor row) {
  std::vector<Job> jobs;
  while (row.next()) jobs.push_back(job_row_of(row).job);
  return jobs;
}
std::vector<Review> reviews_from(Cursor row) {
  std::vector<Review> reviews;
  while (row.next()) reviews.push_back(review_of(row));
  return reviews;
}

/// For a job, the index has one ordered list for each status.
std::vector<Review> reviews_of_job(Session& session, const ReviewFilter& filter, ReviewId after,
                                   std::uint32_t max) {
  std::vector<ReviewStatus> lists{ReviewStatus::open, ReviewStatus::answered, ReviewStatus::closed,
                                  ReviewStatus::superseded};
  if (filter.status) lists = {*filter.status};
  const auto next = [&](std::size_t list, std::int64_t from, std::size_t count) {
    std::vector<std::int64_t> ids;
    Cursor row =
        session.prepared(select_review_ids_of_job).query(filter.job, lists[list], from, count);
    while (row.next()) ids.push_back(row.integer(0));
    return ids;
  };
  std::vector<Review> reviews;
  for (const std::int64_t id : merged_ids(lists.size(), after.value(), max, next)) {
    reviews.push_back(*review_with_id(session, ReviewId{id}));
  }
  return reviews;
}

}  // namespace

OrdinalRange ordinals_of(Session& session, JobId job) {
  // The id of a task has 47 bits for the ordinal.
  constexpr std::int64_t last_possible = (std::int64_t{1} << 46) - 1;
  if (!job) return {.first = 0, .last = last_possible};
  Cursor row = session.prepared(select_range).query(job);
  if (!row.next()) return {};
  return {.first = row.integer(0), .last = row.integer(1)};
}

Result<Job> SqlRecords::job(JobId id) {
  return read([&](Session& session) -> Result<Job> {
    Cursor row = session.prepared(select_job).query(id);
    if (!row.next()) return store::no_such(id);
    return job_row_of(row).job;
  });
}

Result<std::vector<Job>> SqlRecords::jobs(const JobFilter& given) {
  JobFilter filter = given;
  filter.workflow_name = valid_text(std::move(filter.workflow_name));
  const auto look = [&](JobId before, std::uint32_t max) {
    return read([&](Session& session) -> Result<std::vector<Job>> {
      // There are few unended jobs, whatever the workflow.
      if (filter.ended == false) {
        return jobs_from(session.prepared(select_unended_jobs).query(before, max));
      }
      if (!filter.workflow_name.empty()) {
        return jobs_from(
            session.prepared(select_jobs_of_workflow).query(filter.workflow_name, before, max));
      }
      return jobs_from(session.prepared(select_jobs).query(before, max));
    });
  };
  return page_of(filter.before ? filter.before : JobId{everything}, filter.limit, look,
                 [&](const Job& job) { return store::fits(job, filter); });
}

Result<Workflow> SqlRecords::workflow(std::string_view hash) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = workflows_.find(hash);
    if (known != workflows_.end()) return known->second;
  }
  Result<Workflow> found = read([&](Session& session) -> Result<Workflow> {
    Cursor row = session.prepared(select_definition).query(hash);
    if (!row.next()) return fail(ErrorCode::not_found, "no workflow " + std::string(hash));
    return stored_workflow(hash, row.text(0));
  });
  if (found) {
    const std::lock_guard lock(mutex_);
    workflows_.emplace(std::string(hash), *found);
  }
  return found;
}

Result<std::vector<Attempt>> SqlRecords::attempts(TaskId task) {
  return read(
      [&](Session& session) -> Result<std::vector<Attempt>> { return attempts_of(session, task); });
}

Result<Review> SqlRecords::review(ReviewId id) {
  return read([&](Session& session) -> Result<Review> {
    std::optional<Review> review = review_with_id(session, id);
    if (!review) return store::no_such(id);
    return *std::move(review);
  });
}

Result<std::vector<Review>> SqlRecords::reviews(const ReviewFilter& filter) {
  const auto look = [&](ReviewId after, std::uint32_t max) {
    return read([&](Session& session) -> Result<std::vector<Review>> {
      if (filter.task) {
        return reviews_from(
            session.prepared(select_reviews_of_task).query(filter.task, after, max));
      }
      if (filter.job) return reviews_of_job(session, filter, after, max);
      if (filter.status) {
        return reviews_from(
            session.prepared(select_reviews_by_status).query(filter.status, after, max));
      }
      return reviews_from(session.prepared(select_reviews).query(after, max));
    });
  };
  return page_of(filter.after, filter.limit, look,
                 [&](const Review& review) { return store::fits(review, filter); });
}

Result<std::vector<WorkerRecord>> SqlRecords::workers() {
  return read([&](Session& session) -> Result<std::vector<WorkerRecord>> {
    std::vector<WorkerRecord> workers;
    for (Cursor row = session.prepared(select_workers).query(); row.next();) {
      workers.push_back(worker_of(row));
    }
    return workers;
  });
}

Result<WorkerRecord> SqlRecords::worker(WorkerId id) {
  return read([&](Session& session) -> Result<WorkerRecord> {
    std::optional<WorkerRecord> worker = worker_with_id(session, id);
    if (!worker) return store::no_such(id);
    return *std::move(worker);
  });
}

Result<std::string> SqlRecords::payload(std::string_view sha256) { return payloads_.read(sha256); }

Result<std::filesystem::path> SqlRecords::payload_path(std::string_view sha256) {
  return payloads_.path_of(sha256);
}

Status SqlRecords::payload_pieces(std::string_view sha256,
                                  const std::function<Status(std::string_view piece)>& take) {
  return payloads_.each_piece(sha256, take);
}

Result<std::int64_t> SqlRecords::payload_size(std::string_view sha256) {
  return payloads_.size_of(sha256);
}

Result<std::string> SqlRecords::payload_range(std::string_view sha256, std::int64_t from,
                                              std::size_t bytes_max) {
  return payloads_.range_of(sha256, from, bytes_max);
}

Result<std::vector<std::string>> SqlRecords::damage(bool thorough) {
  return door_.damage(thorough);
}

Result<std::vector<PoolUse>> SqlRecords::pools() {
  return read([&](Session& session) -> Result<std::vector<PoolUse>> {
    std::vector<PoolUse> pools;
    Cursor row = session.prepared(select_pools).query();
    while (row.next()) {
      pools.push_back({.pool = std::string(row.view(0)), .open = row.integer(1)});
    }
    return pools;
  });
}

Result<Timestamp> SqlRecords::opening_before(const std::string& pool, std::uint32_t count) {
  return read([&](Session& session) -> Result<Timestamp> {
    Cursor row = session.prepared(select_opening).query(pool, std::int64_t{count} - 1);
    return row.next() ? row.as<Timestamp>(0) : no_time;
  });
}

}  // namespace pawl::sql
