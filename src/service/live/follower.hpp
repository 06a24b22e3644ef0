#pragma once

/// One client that follows the events, and what all of them share.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "pawl/store/records.hpp"
#include "service/live/event_ring.hpp"
#include "service/live/live_events.hpp"
#include "views/events.hpp"

namespace pawl::service {

/// The texts of events as followers are sent them.
class EventTexts {
 public:
  explicit EventTexts(Records& records) : names_(records) {}

  /// Makes the texts of the entries that have none yet. Returns how many have one, from the first:
  /// fewer than all if the store does not answer. Those do not change any more.
  [[nodiscard]] std::size_t prepare(std::span<EventRing::Entry* const> entries);
  [[nodiscard]] Result<std::string> text_of(const Event& event);

 private:
  [[nodiscard]] Result<std::string> made(const Event& event);  ///< `mutex_` is held

  std::mutex mutex_;
  views::EventNames names_;  ///< guarded by mutex_
};

/// What has happened since the followers were woken the last time.
struct EventNews {
  static constexpr std::size_t jobs_max = 64;

  std::uint64_t types = 0;  ///< one bit for each type
  std::set<JobId> jobs;
  bool has_more_jobs = false;  ///< than `jobs_max`

  void add(const Event& event);
};

class Follower;

/// What the followers share. It outlives the last of them.
class FollowerRoom {
 public:
  using SteadyTime = LiveEvents::SteadyTime;

  FollowerRoom(Store& the_store, const LiveLimits& the_limits, std::function<SteadyTime()> the_now);

  /// The engine will report every event after this one.
  void begin_after(EventSeq after);
  /// Takes in an event that the engine reported.
  void take(const Event& event);
  struct ListenerPlace {
    std::uint64_t id = 0;
    std::optional<EventSeq> after;
  };
  [[nodiscard]] ListenerPlace listen(std::function<void(const Event&)> on_event);
  void unlisten(std::uint64_t id);

  void add(const std::shared_ptr<Follower>& follower);
  /// Wakes those for whom there is something to do.
  void wake_followers();
  void stop();
  /// Waits until there is news, but at most so long.
  void wait_for_news(const std::stop_token& stop, std::chrono::milliseconds at_most);
  void pause(const std::stop_token& stop, std::chrono::microseconds time);

  Store& store;
  const LiveLimits limits;
  const std::function<SteadyTime()> now;
  EventRing ring;
  EventTexts texts;
  std::atomic<bool> is_stopped = false;
  std::atomic<std::int64_t> followers = 0;
  std::atomic<std::int64_t> dropped = 0;
  std::atomic<std::int64_t> resets = 0;
  std::atomic<std::int64_t> events = 0;

 private:
  struct Listener {
    std::uint64_t id = 0;
    std::function<void(const Event&)> on_event;
  };
  /// Begins an era if the store was set back. `news_mutex_` is held. `next` is the number of an
  /// event that was reported now; 0: none was.
  void look_for_setback(EventSeq next);

  std::mutex news_mutex_;
  std::condition_variable_any has_news_;
  EventNews news_;                   ///< guarded by news_mutex_
  std::uint64_t seen_setbacks_ = 0;  ///< guarded by news_mutex_

  std::mutex listeners_mutex_;       ///< held while they are called
  std::vector<Listener> listeners_;  ///< guarded by listeners_mutex_
  std::uint64_t last_listener_ = 0;  ///< guarded by listeners_mutex_
  /// The last event that they were called for; guarded by listeners_mutex_.
  std::optional<EventSeq> heard_;

  std::mutex followers_mutex_;
  std::vector<std::weak_ptr<Follower>> all_;  ///< guarded by followers_mutex_
};

/// Threads: `next` is called by one thread at a time, as for every stream; the others by any.
class Follower : public BodyStream {
 public:
  Follower(std::shared_ptr<FollowerRoom> room, EventChoice choice, EventSeq after,
           MayFollow may_follow = {});
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower() override;

  [[nodiscard]] Piece next() override;
  void on_wake(std::function<void()> wake) override { wake_ = std::move(wake); }
  void stop() override;

  /// Wakes the server if the stream is idle and there is something to do for it.
  void wake_for(const EventNews& news, const EventRing::State& ring, FollowerRoom::SteadyTime now);

 private:
  enum class Phase : std::uint8_t {
    opening,  ///< the cursor was not looked at yet
    records,  ///< reads from the records, until what follows is in the ring
    ring,
    ended,
  };
  enum class Found : std::uint8_t {
    some,       ///< look again
    full,       ///< enough for one piece
    nothing,    ///< there is nothing new
    no_answer,  ///< the store does not answer
  };

  [[nodiscard]] Found collect(std::string& bytes);
  /// From now on others wake the stream. False if there is more already: what was reported before
  /// this call woke nobody.
  [[nodiscard]] bool becomes_idle(Found found);
  [[nodiscard]] Found check_cursor(std::string& bytes);
  [[nodiscard]] Found read_records(std::string& bytes);
  [[nodiscard]] Found read_ring(std::string& bytes);
  /// The client must read everything again; what happens from now on follows.
  [[nodiscard]] Found reset(std::string& bytes);
  void drop(std::string& bytes);
  /// Whether the client may still follow; asked again after each heartbeat's time.
  [[nodiscard]] bool is_allowed(FollowerRoom::SteadyTime now);
  void add_heartbeat(std::string& bytes, FollowerRoom::SteadyTime now);
  [[nodiscard]] bool wants(const Event& event) const;
  [[nodiscard]] bool is_news(const EventNews& news) const;
  void wake();

  const std::shared_ptr<FollowerRoom> room_;
  const JobId job_;
  const std::uint64_t types_;  ///< one bit for each type that was chosen
  const MayFollow may_follow_;
  std::function<void()> wake_;

  // Only `next` uses these.
  Phase phase_ = Phase::opening;
  EventSeq after_;     ///< everything up to here was looked at
  EventSeq told_ = 0;  ///< the last number that the client was given
  int pages_ = 0;      ///< of the records, read for this piece
  bool has_begun_ = false;
  FollowerRoom::SteadyTime allowed_at_;  ///< when it was asked the last time

  // `next` sets these; others read them.
  std::atomic<bool> is_idle_ = false;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> needs_polling_ = false;  ///< nobody reports when there is more
  std::atomic<std::uint64_t> era_ = 0;
  std::atomic<EventRing::Position> position_ = 0;  ///< in the ring
  std::atomic<FollowerRoom::SteadyTime> last_sent_;
  /// Since when the server could have called `next`.
  std::atomic<FollowerRoom::SteadyTime> due_since_;
};

}  // namespace pawl::service
