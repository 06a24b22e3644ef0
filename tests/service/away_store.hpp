#pragma once

/// A store that can be away: then every read is `unavailable`, as when a database is restarted.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/store/records.hpp"
#include "store/forwarding_store.hpp"

namespace pawl::service {

class AwayRecords final : public Records {
 public:
  AwayRecords(Records& inner, const std::atomic<bool>& is_away)
      : inner_(inner), is_away_(is_away) {}

  Result<Job> job(JobId id) override { return unless_away(&Records::job, id); }
  Result<std::vector<Job>> jobs(const JobFilter& filter) override {
    return unless_away(&Records::jobs, filter);
  }
  Result<Workflow> workflow(std::string_view hash) override {
    return unless_away(&Records::workflow, hash);
  }
  Result<Item> item(ItemId id) override {
    if (is_away_) return away();
    return inner_.item(id);
  }
  Result<Item> item(JobId job, std::string_view key) override {
    if (is_away_) return away();
    return inner_.item(job, key);
  }
  Result<std::vector<Item>> items(const ItemFilter& filter) override {
    return unless_away(&Records::items, filter);
  }
  Result<Task> task(TaskId id) override { return unless_away(&Records::task, id); }
  Result<std::vector<Task>> tasks(const TaskFilter& filter) override {
    return unless_away(&Records::tasks, filter);
  }
  Result<std::vector<Task>> tasks_of(ItemId item) override {
    return unless_away(&Records::tasks_of, item);
  }
  Result<std::vector<Attempt>> attempts(TaskId task) override {
    return unless_away(&Records::attempts, task);
  }
  Result<std::vector<StageOutput>> outputs(ItemId item) override {
    return unless_away(&Records::outputs, item);
  }
  Result<StageOutput> output(TaskId task) override { return unless_away(&Records::output, task); }
  Result<Review> review(ReviewId id) override { return unless_away(&Records::review, id); }
  Result<std::vector<Review>> reviews(const ReviewFilter& filter) override {
    return unless_away(&Records::reviews, filter);
  }
  Result<std::vector<Review>> inbox(const InboxFilter& filter) override {
    return unless_away(&Records::inbox, filter);
  }
  Result<std::vector<GivenAnswer>> answers(ReviewId review) override {
    return unless_away(&Records::answers, review);
  }
  Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) override {
    return unless_away(&Records::audit, filter);
  }
  Result<Tally> count(const ItemFilter& filter) override {
    if (is_away_) return away();
    return inner_.count(filter);
  }
  Result<Tally> count(const TaskFilter& filter) override {
    if (is_away_) return away();
    return inner_.count(filter);
  }
  Result<Tally> count(const InboxFilter& filter) override {
    if (is_away_) return away();
    return inner_.count(filter);
  }
  Result<EventSeq> last_event() override { return unless_away(&Records::last_event); }
  Result<std::vector<Event>> events(const EventFilter& filter) override {
    return unless_away(&Records::events, filter);
  }
  Result<std::vector<WorkerRecord>> workers() override { return unless_away(&Records::workers); }
  Result<WorkerRecord> worker(WorkerId id) override { return unless_away(&Records::worker, id); }
  Result<std::string> payload(std::string_view sha256) override {
    return unless_away(&Records::payload, sha256);
  }
  Result<std::filesystem::path> payload_path(std::string_view sha256) override {
    return unless_away(&Records::payload_path, sha256);
  }
  Result<std::vector<PoolUse>> pools() override { return unless_away(&Records::pools); }

 private:
  static std::unexpected<Error> away() {
    return fail(ErrorCode::unavailable, "the database does not answer");
  }
  template <class Answer, class... Parameters, class... Arguments>
  Answer unless_away(Answer (Records::*read)(Parameters...), const Arguments&... arguments) {
    if (is_away_) return away();
    return (inner_.*read)(arguments...);
  }

  Records& inner_;
  const std::atomic<bool>& is_away_;
};

class AwayStore final : public store::ForwardingStore {
 public:
  explicit AwayStore(std::shared_ptr<Store> inner)
      : ForwardingStore(std::move(inner)), records_(this->inner().records(), is_away) {}

  Records& records() override { return records_; }
  [[nodiscard]] std::uint64_t setbacks() const override { return times_set_back; }

  std::atomic<bool> is_away = false;
  std::atomic<std::uint64_t> times_set_back = 0;

 private:
  AwayRecords records_;
};

}  // namespace pawl::service
