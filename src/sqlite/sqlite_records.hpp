#pragma once

/// The reads of people and reports on SQLite. Each borrows a read connection, answers one short
/// page and gives it back: a long reader would keep the write-ahead log growing.
/// Sources: sqlite_records.cpp and records_*.cpp.

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "pawl/store/records.hpp"
#include "sqlite/payload_files.hpp"
#include "sqlite/reader_pool.hpp"

namespace pawl::sqlite {

class SqliteRecords final : public Records {
 public:
  /// Both must outlive it.
  SqliteRecords(std::filesystem::path path, ReaderPool& readers, const PayloadFiles& payloads)
      : path_(std::move(path)), readers_(readers), payloads_(payloads) {}

  Result<Job> job(JobId id) override;
  Result<std::vector<Job>> jobs(const JobFilter& filter) override;
  Result<Workflow> workflow(std::string_view hash) override;
  Result<Item> item(ItemId id) override;
  Result<Item> item(JobId job, std::string_view key) override;
  Result<std::vector<Item>> items(const ItemFilter& filter) override;
  Result<Task> task(TaskId id) override;
  Result<std::vector<Task>> tasks(const TaskFilter& filter) override;
  Result<std::vector<Task>> tasks_of(ItemId item) override;
  Result<std::vector<Attempt>> attempts(TaskId task) override;
  Result<std::vector<StageOutput>> outputs(ItemId item) override;
  Result<StageOutput> output(TaskId task) override;
  Result<Review> review(ReviewId id) override;
  Result<std::vector<Review>> reviews(const ReviewFilter& filter) override;
  Result<std::vector<Event>> events(const EventFilter& filter) override;
  Result<std::vector<WorkerRecord>> workers() override;
  Result<WorkerRecord> worker(WorkerId id) override;
  Result<std::string> payload(std::string_view sha256) override;
  Result<std::filesystem::path> payload_path(std::string_view sha256) override;

 private:
  /// Runs `body(connection)` in one read transaction: what it sees belongs together.
  template <class Body>
  auto read(Body body) -> std::invoke_result_t<Body, Connection&>;

  Result<std::vector<Task>> reviewed_tasks(const TaskFilter& filter);

  std::filesystem::path path_;
  ReaderPool& readers_;
  const PayloadFiles& payloads_;
  std::mutex mutex_;
  std::map<std::string, Workflow, std::less<>> workflows_;  ///< guarded by mutex_
};

/// The ordinals that a job's items and tasks lie in.
struct OrdinalRange {
  std::int64_t first = 0;
  std::int64_t last = -1;
};
/// Everything for no job; nothing for one that does not exist.
[[nodiscard]] OrdinalRange ordinals_of(Connection& connection, JobId job);

[[nodiscard]] std::unexpected<Error> no_such(std::string_view what, std::int64_t id);

}  // namespace pawl::sqlite
