/// The memory store: the reference. One mutex, plain maps, the shared ledger.

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>

#include "pawl/codec/digest.hpp"
#include "pawl/core/text.hpp"
#include "pawl/store/records.hpp"
#include "store/fitting.hpp"
#include "store/ledger/ledger_store.hpp"
#include "store/memory/memory_rows.hpp"
#include "store/no_such.hpp"
#include "store/payloads/payload_folder.hpp"
#include "store/valid_text_store.hpp"

namespace pawl {

namespace store {

namespace {

class MemoryStore final : public LedgerStore, public Records {
 public:
  explicit MemoryStore(const Clock& clock) : clock_(clock) {}

  [[nodiscard]] const Clock& clock() const override { return clock_; }
  Records& records() override { return *this; }

  using Store::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override {
    return transact({}, [&](Rows&, Timestamp now) -> Status {
      if (!rows_.renew_worker(worker, now, holds_since)) return no_such(worker);
      return {};
    });
  }

  Result<std::vector<LaneHead>> ready_lanes() override {
    const std::lock_guard lock(mutex_);
    std::vector<LaneHead> heads;
    for (const auto& [lane, tasks] : rows_.ready_by_lane) {
      const MemoryRows::LaneGroup& group =
          std::prev(rows_.lane_groups.upper_bound(lane.value()))->second;
      heads.push_back({.lane = lane,
                       .job = group.job,
                       .stage = static_cast<StageIndex>(lane.value() - group.base),
                       .category = group.category,
                       .priority = rows_.jobs.at(group.job).priority,
                       .oldest = tasks.begin()->first});
    }
    return heads;
  }

  /// It lives and dies with its process.
  [[nodiscard]] std::uint64_t setbacks() const override { return 0; }

  std::uint64_t change_mark() override {
    const std::lock_guard lock(mutex_);
    return changes_;
  }

  Result<std::string> keep_payload(std::string_view bytes) override {
    std::string sha256 = sha256_hex(bytes);
    const std::lock_guard lock(mutex_);
    rows_.payloads.emplace(sha256, bytes);
    return sha256;
  }

  Result<KeptFile> keep_stream(const ByteSource& source) override {
    std::string bytes;
    const Status read = source([&](std::string_view piece) -> Status {
      bytes += piece;
      return {};
    });
    if (!read) return std::unexpected(read.error());
    const Result<std::string> sha256 = keep_payload(bytes);
    if (!sha256) return std::unexpected(sha256.error());
    return KeptFile{.sha256 = *sha256, .size = static_cast<std::int64_t>(bytes.size())};
  }

  // Records

  Result<Job> job(JobId id) override {
    const std::lock_guard lock(mutex_);
    const auto known = rows_.jobs.find(id);
    if (known == rows_.jobs.end()) return no_such(id);
    return known->second;
  }

  Result<std::vector<Job>> jobs(const JobFilter& given) override {
    JobFilter filter = given;
    filter.workflow_name = valid_text(std::move(filter.workflow_name));
    const std::lock_guard lock(mutex_);
    std::vector<Job> found;
    for (auto it = rows_.jobs.rbegin(); it != rows_.jobs.rend() && found.size() < filter.limit;
         ++it) {
      const Job& job = it->second;
      if (filter.before && job.id >= filter.before) continue;
      if (fits(job, filter)) found.push_back(job);
    }
    return found;
  }

  Result<Workflow> workflow(std::string_view hash) override {
    const std::lock_guard lock(mutex_);
    const auto known = rows_.workflows.find(hash);
    if (known == rows_.workflows.end()) {
      return fail(ErrorCode::not_found, "no workflow " + std::string(hash));
    }
    return known->second;
  }

  Result<Item> item(ItemId id) override {
    const std::lock_guard lock(mutex_);
    const auto known = rows_.items.find(id);
    if (known == rows_.items.end()) return no_such(id);
    return known->second;
  }

  Result<Item> item(JobId job, std::string_view key) override {
    const std::lock_guard lock(mutex_);
    const std::string stored = valid_text(std::string(key));
    if (std::optional<Item> item = rows_.item_with_key(job, stored)) return *item;
    return no_such(job, stored);
  }

  Result<std::vector<Item>> items(const ItemFilter& given) override {
    ItemFilter filter = given;
    filter.category = valid_text(std::move(filter.category));
    filter.key_prefix = valid_text(std::move(filter.key_prefix));
    const std::lock_guard lock(mutex_);
    std::vector<Item> found;
    for (auto it = rows_.items.upper_bound(filter.after);
         it != rows_.items.end() && found.size() < filter.limit; ++it) {
      const Item& item = it->second;
      if (fits(item, rows_.jobs.at(item.job).cancelled, filter)) found.push_back(item);
    }
    return found;
  }

  Result<Task> task(TaskId id) override {
    const std::lock_guard lock(mutex_);
    std::optional<Task> task = rows_.task(id);
    if (!task) return no_such(id);
    return *task;
  }

  Result<std::vector<Task>> tasks(const TaskFilter& filter) override {
    const std::lock_guard lock(mutex_);
    std::vector<Task> found;
    for (auto it = rows_.tasks.upper_bound(filter.after);
         it != rows_.tasks.end() && found.size() < filter.limit; ++it) {
      if (fits(it->second, filter)) found.push_back(it->second);
    }
    return found;
  }

  Result<std::vector<Task>> tasks_of(ItemId item) override {
    const std::lock_guard lock(mutex_);
    return rows_.tasks_of(item);
  }

  Result<std::vector<Attempt>> attempts(TaskId task) override {
    const std::lock_guard lock(mutex_);
    return rows_.attempts(task);
  }

  Result<std::vector<StageOutput>> outputs(ItemId id) override {
    const std::lock_guard lock(mutex_);
    const auto item = rows_.items.find(id);
    if (item == rows_.items.end()) return no_such(id);
    std::vector<StageOutput> found;
    const ItemId original = item->second.adopted_from ? item->second.adopted_from : id;
    for (const Task& task : rows_.tasks_of(original)) {
      if (has_ended(task.state)) found.push_back(output_of(task));
    }
    return found;
  }

  Result<StageOutput> output(TaskId id) override {
    const std::lock_guard lock(mutex_);
    const std::optional<Task> task = rows_.task(id);
    if (!task) return no_such(id);
    return output_of(*task);
  }

  Result<Review> review(ReviewId id) override {
    const std::lock_guard lock(mutex_);
    std::optional<Review> review = rows_.review(id);
    if (!review) return no_such(id);
    return *review;
  }

  Result<std::vector<Review>> reviews(const ReviewFilter& filter) override {
    const std::lock_guard lock(mutex_);
    std::vector<Review> found;
    for (auto it = rows_.reviews.upper_bound(filter.after);
         it != rows_.reviews.end() && found.size() < filter.limit; ++it) {
      if (fits(it->second, filter)) found.push_back(it->second);
    }
    return found;
  }

  Result<std::vector<Review>> inbox(const InboxFilter& filter) override {
    const std::lock_guard lock(mutex_);
    std::vector<Review> found = inbox_rows(filter);
    const std::pair after(due_order(filter.after_due), filter.after);
    if (filter.after) {
      std::erase_if(found, [&](const Review& review) {
        return std::pair(due_order(review.due_at), review.id) <= after;
      });
    }
    if (found.size() > filter.limit) found.resize(filter.limit);
    return found;
  }

  Result<std::vector<GivenAnswer>> answers(ReviewId review) override {
    const std::lock_guard lock(mutex_);
    return rows_.answers(review);
  }

  Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) override {
    const std::lock_guard lock(mutex_);
    std::vector<AuditEntry> found;
    for (const AuditEntry& entry : rows_.audit) {
      if (found.size() == filter.limit) break;
      if (entry.number > filter.after && fits(entry, filter)) found.push_back(entry);
    }
    return found;
  }

  Result<Tally> count(const ItemFilter& given) override {
    ItemFilter filter = given;
    filter.category = valid_text(std::move(filter.category));
    filter.key_prefix = valid_text(std::move(filter.key_prefix));
    const std::lock_guard lock(mutex_);
    return tally(std::ranges::count_if(rows_.items, [&](const auto& entry) {
      const Item& item = entry.second;
      return fits(item, rows_.jobs.at(item.job).cancelled, filter);
    }));
  }
  Result<Tally> count(const TaskFilter& filter) override {
    const std::lock_guard lock(mutex_);
    return tally(std::ranges::count_if(
        rows_.tasks, [&](const auto& entry) { return fits(entry.second, filter); }));
  }
  Result<Tally> count(const InboxFilter& filter) override {
    const std::lock_guard lock(mutex_);
    return tally(static_cast<std::int64_t>(inbox_rows(filter).size()));
  }

  Result<EventSeq> last_event() override {
    const std::lock_guard lock(mutex_);
    const std::vector<JournalRow>& journal = rows_.journal;
    if (journal.empty()) return 0;
    return static_cast<EventSeq>(journal.size() * 16 + journal.back().events.size() - 1);
  }

  Result<std::vector<Event>> events(const EventFilter& filter) override {
    const std::lock_guard lock(mutex_);
    std::vector<Event> found;
    if (filter.after == std::numeric_limits<EventSeq>::max()) return found;
    const EventSeq first = filter.after + 1;
    for (auto row = static_cast<std::size_t>(std::max<EventSeq>(first / 16, 1));
         row <= rows_.journal.size() && found.size() < filter.limit; ++row) {
      const JournalRow& entry = rows_.journal[row - 1];
      if ((filter.job && entry.job != filter.job) || entry.at < filter.since) continue;
      for (std::size_t i = 0; i < entry.events.size() && found.size() < filter.limit; ++i) {
        Event event = entry.events[i];
        event.seq = static_cast<EventSeq>(row * 16 + i);
        event.job = entry.job;
        event.at = entry.at;
        if (event.seq < first || (filter.item && event.item != filter.item)) continue;
        found.push_back(std::move(event));
      }
    }
    return found;
  }

  Result<std::vector<WorkerRecord>> workers() override {
    const std::lock_guard lock(mutex_);
    std::vector<WorkerRecord> found;
    for (const auto& [id, worker] : rows_.workers) found.push_back(worker);
    return found;
  }

  Result<WorkerRecord> worker(WorkerId id) override {
    const std::lock_guard lock(mutex_);
    std::optional<WorkerRecord> worker = rows_.worker(id);
    if (!worker) return no_such(id);
    return *worker;
  }

  Result<std::string> payload(std::string_view sha256) override {
    const std::lock_guard lock(mutex_);
    const auto known = rows_.payloads.find(sha256);
    if (known == rows_.payloads.end()) {
      return fail(ErrorCode::not_found, "no payload sha256:" + std::string(sha256));
    }
    return known->second;
  }
  Result<std::filesystem::path> payload_path(std::string_view sha256) override {
    const Result<std::string> bytes = payload(sha256);
    if (!bytes) return std::unexpected(bytes.error());
    const std::lock_guard lock(mutex_);
    return payload_folder_.file(sha256, *bytes);
  }
  Result<std::vector<PoolUse>> pools() override {
    const std::lock_guard lock(mutex_);
    return rows_.pool_uses();
  }
  Result<Timestamp> opening_before(const std::string& pool, std::uint32_t count) override {
    const std::lock_guard lock(mutex_);
    return rows_.opening_before(pool, count);
  }

 private:
  /// Reviews without a due time come last.
  static Timestamp due_order(Timestamp due_at) {
    return due_at == no_time ? Timestamp::max() : due_at;
  }

  std::vector<Review> inbox_rows(const InboxFilter& filter) {
    std::vector<Review> found;
    for (const auto& [id, review] : rows_.reviews) {
      if (fits(review, filter)) found.push_back(review);
    }
    std::ranges::stable_sort(found, {},
                             [](const Review& review) { return due_order(review.due_at); });
    return found;
  }

  static Tally tally(std::int64_t count) {
    return {.count = std::min<std::int64_t>(count, tally_max), .is_more = count > tally_max};
  }

  Status read_people(const std::function<void(PeopleRows&)>& body) override {
    const std::lock_guard lock(mutex_);
    body(rows_.people());
    return {};
  }

  Status transact(const Expected&, const Body& body) override {
    const std::lock_guard lock(mutex_);
    try {
      const Status done = body(rows_, clock_.now());
      if (!done) {
        rows_.roll_back();
        return done;
      }
    } catch (...) {
      rows_.roll_back();
      throw;
    }
    if (rows_.has_news()) ++changes_;
    rows_.commit();
    return {};
  }

  StageOutput output_of(const Task& task) {
    StageOutput out{.stage = task.stage(), .state = task.kind(), .output = {}, .artifacts = {}};
    const auto* succeeded = std::get_if<Succeeded>(&task.state);
    if (succeeded == nullptr) return out;
    out.attempt = succeeded->attempt;
    for (const Attempt& attempt : rows_.attempts(task.id)) {
      if (attempt.number != succeeded->attempt) continue;
      out.output = attempt.output;
      out.artifacts = attempt.artifacts;
    }
    if (succeeded->edited_by) {
      out.edited = true;
      out.output = *rows_.review(succeeded->edited_by)->answer->edits;
    }
    return out;
  }

  // Set in the constructor.
  const Clock& clock_;

  // Guarded by mutex_.
  std::mutex mutex_;
  MemoryRows rows_;
  PayloadFolder payload_folder_;
  std::uint64_t changes_ = 0;
};

}  // namespace

}  // namespace store

std::shared_ptr<Store> open_memory_store(const Clock& clock) {
  return store::with_valid_text(std::make_shared<store::MemoryStore>(clock));
}

}  // namespace pawl
