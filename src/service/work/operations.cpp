#include "service/work/operations.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::service {
namespace {

using Phase = OperationState::Phase;

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::waiting:
      return "waiting";
    case Phase::running:
      return "running";
    case Phase::finished:
      return "finished";
    case Phase::cancelled:
      return "cancelled";
    case Phase::failed:
      return "failed";
  }
  return {};
}

/// The error alone, as in {"error":…}.
Json error_in(const Error& error) { return *field(failure_document(error), "error").json(); }

Json time_or_null(Timestamp time) { return time == no_time ? Json() : Json(rfc3339(time)); }

Status check_id(std::string_view id) {
  constexpr std::size_t length_max = 64;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  if (!id.empty() && id.size() <= length_max && std::ranges::all_of(id, is_allowed)) return {};
  return fail(ErrorCode::invalid, "'" + std::string(id) + "' cannot be the id of an operation",
              "choose 1 to 64 of the letters A-Z and a-z, digits, '.', '-' and '_'");
}

/// The same for two orders that are the same.
std::string fingerprint_of(const OperationOrder& order) {
  const Json whole = Json::object({{"kind", order.kind},
                                   {"by", order.by.name},
                                   {"actor_kind", static_cast<int>(order.by.kind)},
                                   {"details", canonical(order.details)}});
  return sha256_hex(whole.text());
}

/// The details without long lists: they are kept for a day.
Json shortened(const Json& details) {
  constexpr std::size_t kept_max = 1'024;
  std::vector<std::pair<std::string, Json>> all = members(details);
  for (auto& [name, value] : all) {
    if (value.size() > kept_max) value = Json::object({{"omitted_bytes", value.size()}});
  }
  return Json::object(all);
}

std::unexpected<Error> no_such_operation(const std::string& id) {
  return fail(ErrorCode::not_found, "no such operation: '" + id + "'",
              "it never began, it ended more than a day ago, or the service was restarted");
}

}  // namespace

Json operation_document(const OperationState& state) {
  const OperationOrder& order = state.order;
  return Json::object({{"operation", order.id},
                       {"kind", order.kind},
                       {"order", order.details},
                       {"by", order.by.name},
                       {"phase", name_of(state.phase)},
                       {"expected", order.expected ? Json(*order.expected) : Json()},
                       {"done", state.done},
                       {"refused", state.refused},
                       {"refusals", Json::array(state.refusals)},
                       {"error", state.error ? error_in(*state.error) : Json()},
                       {"asked_at", time_or_null(state.asked_at)},
                       {"started_at", time_or_null(state.started_at)},
                       {"ended_at", time_or_null(state.ended_at)}});
}

class Operations::Queue {
 public:
  explicit Queue(const Clock& clock) : clock_(clock), thread_([this] { run(); }) {}
  ~Queue() { stop(); }

  Result<OperationState> start(OperationOrder order, OperationWork work) {
    if (const Status good = check_id(order.id); !good) return std::unexpected(good.error());
    std::string fingerprint = fingerprint_of(order);
    order.details = shortened(order.details);
    const std::lock_guard lock(mutex_);
    forget_old();
    const Result<std::optional<OperationState>> first = first_of(order.id, fingerprint);
    if (!first) return std::unexpected(first.error());
    if (*first) return **first;
    if (is_stopping_) return fail(ErrorCode::unavailable, "the service is stopping");
    if (waiting_.size() >= waiting_max) {
      return fail(ErrorCode::unavailable,
                  std::to_string(waiting_.size()) + " operations wait already",
                  "try again when some of them have ended, or cancel them");
    }
    auto entry = std::make_shared<Entry>();
    entry->number = ++started_;
    entry->fingerprint = std::move(fingerprint);
    entry->work = std::move(work);
    entry->state.asked_at = clock_.now();
    entry->state.order = std::move(order);
    entries_.emplace(entry->state.order.id, entry);
    waiting_.push_back(entry);
    changed_.notify_all();
    return entry->state;
  }

  Result<std::optional<OperationState>> find_same(const OperationOrder& order) const {
    if (const Status good = check_id(order.id); !good) return std::unexpected(good.error());
    const std::string fingerprint = fingerprint_of(order);
    const std::lock_guard lock(mutex_);
    return first_of(order.id, fingerprint);
  }

  Result<OperationState> find(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(id);
    if (entry == entries_.end() || is_old(*entry->second)) return no_such_operation(id);
    return entry->second->state;
  }

  std::vector<OperationState> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<const Entry*> found;
    for (const auto& [id, entry] : entries_) {
      if (!is_old(*entry)) found.push_back(entry.get());
    }
    std::ranges::sort(found, std::ranges::greater{}, &Entry::number);
    std::vector<OperationState> states;
    for (const Entry* entry : found) states.push_back(entry->state);
    return states;
  }

  Result<OperationState> cancel(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return no_such_operation(id);
    Entry& entry = *found->second;
    entry.is_cancelled = true;
    if (entry.state.phase == Phase::waiting) {
      std::erase(waiting_, found->second);
      entry.work = nullptr;
      end(entry, Phase::cancelled);
    }
    return entry.state;
  }

  Result<OperationState> wait(const std::string& id) const {
    std::unique_lock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return no_such_operation(id);
    const std::shared_ptr<Entry> entry = found->second;
    changed_.wait(lock, [&] { return entry->state.has_ended(); });
    return entry->state;
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      for (const std::shared_ptr<Entry>& entry : waiting_) end(*entry, Phase::cancelled);
      waiting_.clear();
      changed_.notify_all();
    }
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
  }

 private:
  struct Entry {
    std::int64_t number = 0;  ///< in the order of the starts
    std::string fingerprint;  ///< of the whole order
    OperationState state;     ///< guarded by mutex_
    OperationWork work;
    std::atomic<bool> is_cancelled = false;
    std::atomic<bool> has_failed = false;  ///< the store did not do what it was asked
  };

  class Progress : public OperationProgress {
   public:
    Progress(Queue& queue, Entry& entry) : queue_(queue), entry_(entry) {}
    void did() override {
      const std::lock_guard lock(queue_.mutex_);
      ++entry_.state.done;
    }
    void refused(const std::string& id, const Error& why) override {
      const std::lock_guard lock(queue_.mutex_);
      OperationState& state = entry_.state;
      if (why.code == ErrorCode::unavailable || why.code == ErrorCode::corrupt) {
        state.error = why;
        entry_.has_failed = true;
        return;
      }
      ++state.refused;
      if (state.refusals.size() >= refusals_max) return;
      state.refusals.push_back(Json::object({{"id", id}, {"error", error_in(why)}}));
    }
    [[nodiscard]] bool goes_on() const override {
      return !entry_.is_cancelled && !entry_.has_failed && !queue_.is_stopping_;
    }

   private:
    Queue& queue_;
    Entry& entry_;
  };

  void run() {
    for (;;) {
      std::shared_ptr<Entry> entry;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
        if (is_stopping_) return;
        entry = waiting_.front();
        waiting_.pop_front();
        entry->state.phase = Phase::running;
        entry->state.started_at = clock_.now();
      }
      carry_out(*entry);
    }
  }

  void carry_out(Entry& entry) {
    Progress progress(*this, entry);
    Status done;
    try {
      done = entry.work(progress);
    } catch (const std::exception& fault) {
      done = fail(ErrorCode::corrupt, std::string("an internal error: ") + fault.what());
    }
    const OperationWork finished = std::move(entry.work);  // freed without the lock
    const std::lock_guard lock(mutex_);
    if (!done) entry.state.error = done.error();
    if (entry.state.error) {
      end(entry, Phase::failed);
    } else {
      end(entry, entry.is_cancelled || is_stopping_ ? Phase::cancelled : Phase::finished);
    }
  }

  // The rest needs the lock.

  void end(Entry& entry, Phase phase) {
    entry.state.phase = phase;
    entry.state.ended_at = clock_.now();
    changed_.notify_all();
  }

  /// The operation under this id if its order is the same.
  [[nodiscard]] Result<std::optional<OperationState>> first_of(
      const std::string& id, const std::string& fingerprint) const {
    const auto known = entries_.find(id);
    if (known == entries_.end() || is_old(*known->second)) return std::optional<OperationState>();
    const OperationState& first = known->second->state;
    if (known->second->fingerprint == fingerprint) return std::optional(first);
    return fail(ErrorCode::conflict,
                "operation '" + id + "' is about something else: " + first.order.kind + " by " +
                    first.order.by.name,
                "choose another id");
  }

  [[nodiscard]] bool is_old(const Entry& entry) const {
    return entry.state.has_ended() && entry.state.ended_at + kept_for <= clock_.now();
  }

  void forget_old() {
    std::erase_if(entries_, [this](const auto& entry) { return is_old(*entry.second); });
    std::vector<const Entry*> ended;
    for (const auto& [id, entry] : entries_) {
      if (entry->state.has_ended()) ended.push_back(entry.get());
    }
    if (ended.size() < ended_max) return;
    std::ranges::sort(ended, {}, [](const Entry* entry) { return entry->state.ended_at; });
    ended.resize(ended.size() - ended_max + 1);
    for (const Entry* entry : ended) entries_.erase(std::string(entry->state.order.id));
  }

  const Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;  ///< guarded by mutex_
  std::deque<std::shared_ptr<Entry>> waiting_;             ///< guarded by mutex_
  std::int64_t started_ = 0;                               ///< guarded by mutex_
  std::atomic<bool> is_stopping_ = false;
  std::mutex joining_;  ///< guards the end of thread_
  std::thread thread_;  ///< last, so that it starts when the rest is there
};

Operations::Operations(const Clock& clock) : queue_(std::make_unique<Queue>(clock)) {}
Operations::~Operations() = default;

Result<OperationState> Operations::start(OperationOrder order, OperationWork work) {
  return queue_->start(std::move(order), std::move(work));
}
Result<std::optional<OperationState>> Operations::find_same(const OperationOrder& order) const {
  return queue_->find_same(order);
}
Result<OperationState> Operations::find(const std::string& id) const { return queue_->find(id); }
std::vector<OperationState> Operations::all() const { return queue_->all(); }
Result<OperationState> Operations::cancel(const std::string& id) { return queue_->cancel(id); }
Result<OperationState> Operations::wait(const std::string& id) const { return queue_->wait(id); }
void Operations::stop() { queue_->stop(); }

}  // namespace pawl::service
