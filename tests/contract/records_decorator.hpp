#pragma once

/// Records as they might be after damage: rows are altered or dropped on the way to the reader.

#include <functional>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::driving {

class RecordsDecorator final : public Records {
 public:
  explicit RecordsDecorator(Records& inner) : inner_(inner) {}

  std::function<void(Job&)> alter_job;
  std::function<void(Item&)> alter_item;
  std::function<bool(const Item&)> drop_item;
  std::function<void(Task&)> alter_task;
  std::function<bool(const Task&)> drop_task;
  std::function<void(TaskId, std::vector<Attempt>&)> alter_attempts;
  std::function<void(std::vector<Review>&)> alter_reviews;
  std::function<void(std::vector<GivenAnswer>&)> alter_answers;
  std::function<void(std::vector<AuditEntry>&)> alter_audit;
  std::function<void(Event&)> alter_event;
  std::function<bool(const Event&)> drop_event;
  std::function<void(std::string&)> alter_payload;
  std::function<void(std::int64_t&)> alter_payload_size;
  std::function<void(std::vector<PoolUse>&)> alter_pools;
  bool hides_workers = false;  ///< whether they exist is unknown
  std::function<bool(WorkerId)> drop_worker;

  Result<Job> job(JobId id) override { return one(inner_.job(id), alter_job); }
  Result<std::vector<Job>> jobs(const JobFilter& filter) override {
    return many(inner_.jobs(filter), alter_job);
  }
  Result<Workflow> workflow(std::string_view hash) override { return inner_.workflow(hash); }

  Result<Item> item(ItemId id) override { return one(inner_.item(id), alter_item); }
  Result<Item> item(JobId job, std::string_view key) override {
    return one(inner_.item(job, key), alter_item);
  }
  Result<std::vector<Item>> items(const ItemFilter& filter) override {
    return many(inner_.items(filter), alter_item, drop_item);
  }

  Result<Task> task(TaskId id) override { return one(inner_.task(id), alter_task); }
  Result<std::vector<Task>> tasks(const TaskFilter& filter) override {
    return many(inner_.tasks(filter), alter_task, drop_task);
  }
  Result<std::vector<Task>> tasks_of(ItemId item) override {
    return many(inner_.tasks_of(item), alter_task, drop_task);
  }
  Result<std::vector<Attempt>> attempts(TaskId task) override {
    Result<std::vector<Attempt>> read = inner_.attempts(task);
    if (read && alter_attempts) alter_attempts(task, *read);
    return read;
  }
  Result<std::vector<StageOutput>> outputs(ItemId item) override { return inner_.outputs(item); }
  Result<StageOutput> output(TaskId task) override { return inner_.output(task); }

  Result<Review> review(ReviewId id) override { return inner_.review(id); }
  Result<std::vector<Review>> reviews(const ReviewFilter& filter) override {
    Result<std::vector<Review>> read = inner_.reviews(filter);
    if (read && alter_reviews) alter_reviews(*read);
    return read;
  }
  Result<std::vector<Review>> inbox(const InboxFilter& filter) override {
    return inner_.inbox(filter);
  }
  Result<std::vector<GivenAnswer>> answers(ReviewId review) override {
    Result<std::vector<GivenAnswer>> read = inner_.answers(review);
    if (read && alter_answers) alter_answers(*read);
    return read;
  }
  Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) override {
    Result<std::vector<AuditEntry>> read = inner_.audit(filter);
    if (read && alter_audit) alter_audit(*read);
    return read;
  }
  Result<Tally> count(const ItemFilter& filter) override { return inner_.count(filter); }
  Result<Tally> count(const TaskFilter& filter) override { return inner_.count(filter); }
  Result<Tally> count(const InboxFilter& filter) override { return inner_.count(filter); }
  Result<EventSeq> last_event() override { return inner_.last_event(); }
  Result<std::vector<Event>> events(const EventFilter& filter) override {
    return many(inner_.events(filter), alter_event, drop_event);
  }

  Result<std::vector<WorkerRecord>> workers() override { return inner_.workers(); }
  Result<WorkerRecord> worker(WorkerId id) override {
    if (hides_workers) return fail(ErrorCode::unavailable, "nobody answers");
    if (drop_worker && drop_worker(id)) return fail(ErrorCode::not_found, "no such worker");
    return inner_.worker(id);
  }
  Result<std::string> payload(std::string_view sha256) override { return inner_.payload(sha256); }
  Status payload_pieces(std::string_view sha256,
                        const std::function<Status(std::string_view)>& take) override {
    if (!alter_payload) return inner_.payload_pieces(sha256, take);
    Result<std::string> bytes = inner_.payload(sha256);
    if (bytes) alter_payload(*bytes);
    return bytes ? take(*bytes) : std::unexpected(bytes.error());
  }
  Result<std::int64_t> payload_size(std::string_view sha256) override {
    Result<std::int64_t> size = inner_.payload_size(sha256);
    if (size && alter_payload_size) alter_payload_size(*size);
    return size;
  }
  Result<std::vector<PoolUse>> pools() override {
    Result<std::vector<PoolUse>> read = inner_.pools();
    if (read && alter_pools) alter_pools(*read);
    return read;
  }
  Result<std::vector<std::string>> damage(bool thorough) override {
    return inner_.damage(thorough);
  }
  Result<std::filesystem::path> payload_path(std::string_view sha256) override {
    return inner_.payload_path(sha256);
  }

 private:
  template <class Row>
  static Result<Row> one(Result<Row> read, const std::function<void(Row&)>& alter) {
    if (read && alter) alter(*read);
    return read;
  }
  template <class Row>
  static Result<std::vector<Row>> many(Result<std::vector<Row>> read,
                                       const std::function<void(Row&)>& alter,
                                       const std::function<bool(const Row&)>& drop = {}) {
    if (!read) return read;
    if (drop) std::erase_if(*read, drop);
    if (alter) {
      for (Row& row : *read) alter(row);
    }
    return read;
  }

  Records& inner_;
};

}  // namespace pawl::driving
