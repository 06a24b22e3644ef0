#pragma once

/// The reads for users and reports on a database. Each is one short page under one snapshot: a long
/// read would keep the database from removing old versions. Sources: records.cpp and records_*.cpp.

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include "pawl/store/records.hpp"
#include "sql/read_ports.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

class SqlRecords final : public Records {
 public:
  /// Both must outlive this object.
  SqlRecords(ReadDoor& door, Payloads& payloads) : door_(door), payloads_(payloads) {}

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
  Result<std::vector<Review>> inbox(const InboxFilter& filter) override;
  Result<std::vector<GivenAnswer>> answers(ReviewId review) override;
  Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) override;
  Result<Tally> count(const ItemFilter& filter) override;
  Result<Tally> count(const TaskFilter& filter) override;
  Result<Tally> count(const InboxFilter& filter) override;
  Result<EventSeq> last_event() override;
  Result<std::vector<Event>> events(const EventFilter& filter) override;
  Result<std::vector<WorkerRecord>> workers() override;
  Result<WorkerRecord> worker(WorkerId id) override;
  Result<std::string> payload(std::string_view sha256) override;
  Result<std::filesystem::path> payload_path(std::string_view sha256) override;
  Status payload_pieces(std::string_view sha256,
                        const std::function<Status(std::string_view piece)>& take) override;
  Result<std::int64_t> payload_size(std::string_view sha256) override;
  Result<std::string> payload_range(std::string_view sha256, std::int64_t from,
                                    std::size_t bytes_max) override;
  Result<std::vector<PoolUse>> pools() override;
  Result<Timestamp> opening_before(const std::string& pool, std::uint32_t count) override;
  Result<std::vector<std::string>> damage(bool thorough) override;

 private:
  /// Runs `body(session)` under one snapshot, so that everything it sees is consistent.
  template <class Body>
  auto read(Body body) -> std::invoke_result_t<Body, Session&>;

  /// Items whose keys have the prefix of the filter, without their data.
  Result<std::vector<Item>> items_by_prefix(const ItemFilter& filter);
  Result<std::vector<Task>> reviewed_tasks(const TaskFilter& filter);
  Result<std::vector<Task>> tasks_of_stage(const TaskFilter& filter);
  Result<std::vector<Task>> listed_tasks(const TaskFilter& filter);
  /// Empty if the workflow of the task's job has the stage of the task.
  std::optional<Error> has_no_stage(const Task& task);
  Result<std::vector<Task>> of_known_stages(Result<std::vector<Task>> tasks);

  ReadDoor& door_;
  Payloads& payloads_;
  std::mutex mutex_;
  std::map<std::string, Workflow, std::less<>> workflows_;  ///< guarded by mutex_
  std::map<JobId, std::size_t> stage_counts_;               ///< guarded by mutex_
};

/// How far a list is counted that holds this many rows.
[[nodiscard]] inline Tally tally_of(std::size_t rows) {
  const bool is_more = rows > tally_max;
  return {.count = is_more ? tally_max : static_cast<std::int64_t>(rows), .is_more = is_more};
}
/// Of a list that was read with the limit `tally_max + 1`.
template <class Row>
[[nodiscard]] Result<Tally> tally_of(const Result<std::vector<Row>>& rows) {
  if (!rows) return std::unexpected(rows.error());
  return tally_of(rows->size());
}

/// The range of the ordinals of a job's items and tasks.
struct OrdinalRange {
  std::int64_t first = 0;
  std::int64_t last = -1;
};
/// The whole range for no job; an empty one for a job that does not exist.
[[nodiscard]] OrdinalRange ordinals_of(Session& session, JobId job);

}  // namespace pawl::sql
