#pragma once

/// The newest events of the store, for everybody who follows them: one subscription for the whole
/// process, and a ring of texts that all followers share.
///
/// Threads: every function may be called from any thread at the same time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>

#include "pawl/runtime/engine.hpp"
#include "service/http/message.hpp"

namespace pawl::service {

class FollowerRoom;

/// What a follower wants to see.
struct EventChoice {
  JobId job = {};                  ///< none: all jobs
  std::set<EventType> types = {};  ///< empty: all
};

/// Whether a follower may go on; asked about every `LiveLimits::heartbeat`, on a request thread.
using MayFollow = std::function<bool()>;

struct LiveLimits {
  std::size_t ring = 10'000;                          ///< events kept at hand
  std::size_t piece_bytes = std::size_t{256} << 10U;  ///< about the most sent at once
  std::uint64_t behind_max = 100'000;                 ///< events
  std::chrono::milliseconds stalled_max = std::chrono::seconds(30);
  std::chrono::milliseconds heartbeat = std::chrono::seconds(15);
  /// Whether a thread wakes the followers. Without it, a test calls `wake_followers`.
  bool has_thread = true;
};

/// A function that is called for every event.
struct Listening {
  Subscription subscription;
  /// It is called for every event after this one. None: the store does not answer yet.
  std::optional<EventSeq> after;
};

/// A stream of server-sent events. `id` is the number of the event, `event` its type, `data` its
/// document. Each event that was chosen comes once, in order.
///
/// - `event: reset`: the cursor cannot be resumed, because no event has this number, or because the
///   store was set back since. What the client knows may be wrong: it should read it again. The
///   stream goes on with what happens from now on.
/// - `event: dropped`: the client reads too slowly. The stream ends; the client can resume after
///   the number that it was given.
/// - `event: signed_out`: the client may no longer follow. The stream ends.
/// - A comment after 15 seconds without an event. With it comes the number of the newest event that
///   was looked at, so that a client which resumes need not begin with the last one it chose.
///
/// While the store does not answer, the stream stays silent, and then goes on where it was.
class LiveEvents {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// Subscribes to the engine's events, which include those of other processes. `now` is the time
  /// for heartbeats and slow followers.
  explicit LiveEvents(Engine& engine, const LiveLimits& limits = {},
                      std::function<SteadyTime()> now = &std::chrono::steady_clock::now);
  ~LiveEvents();

  /// The chosen events after this one: those on record first, then those that happen.
  [[nodiscard]] std::shared_ptr<BodyStream> follow(EventChoice choice, EventSeq after,
                                                   MayFollow may_follow = {});
  /// The events that happen from now on. Asks the store for the newest one.
  [[nodiscard]] Result<std::shared_ptr<BodyStream>> follow(EventChoice choice,
                                                           MayFollow may_follow = {});
  /// Ends all streams, also those that are opened later.
  void stop();

  /// Calls a function for every event from now on, from a thread of the engine. It must be quick.
  /// When the subscription has ended, the function is not called any more.
  [[nodiscard]] Listening listen(std::function<void(const Event&)> on_event);

  /// Wakes the followers for which there is something to send. A thread of its own calls it: after
  /// events, and every second.
  void wake_followers();

  struct Figures {
    std::int64_t followers = 0;  ///< now
    std::int64_t dropped = 0;    ///< since the start, as the next two
    std::int64_t resets = 0;
    std::int64_t events = 0;
  };
  [[nodiscard]] Figures figures() const;

 private:
  /// Unless it is subscribed, or the store does not answer.
  void subscribe();
  void work(const std::stop_token& stop);

  Engine& engine_;
  const std::shared_ptr<FollowerRoom> room_;  ///< shared with the streams, which may outlive this
  std::mutex mutex_;
  bool is_subscribed_ = false;  ///< guarded by mutex_
  Subscription subscription_;   ///< guarded by mutex_
  std::jthread thread_;
};

}  // namespace pawl::service
