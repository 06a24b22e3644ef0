#pragma once

/// Live subscriptions over the log: each has its cursor, each reads every event in order.
///
/// A store that was set back has lost the end of its log, and gives the numbers of lost events to
/// others. So every page begins with the last event that was delivered: where it is not there any
/// more, the subscriber goes on behind the newest one that is.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "pawl/store/records.hpp"
#include "runtime/mutex.hpp"

namespace pawl::runtime {

class EventFeed {
 public:
  EventFeed(Records& records, Duration poll_interval)
      : records_(records), poll_interval_(poll_interval) {}

  /// Delivers from a thread of its own from now on.
  void start();
  void stop();
  /// There may be something new. While events come fast they are told together, within a
  /// millisecond or two: reading the log after every commit would hold up the next one.
  void notify();
  /// The same, and nothing will follow soon: whoever waits for it is told now.
  void notify_at_once();
  /// Delivers what there is, on the caller's thread; answers whether there was anything.
  bool deliver() { return deliver_page().any; }
  /// The same for an engine that its host drives: only where there is no thread, and only when
  /// something new was announced.
  bool deliver_if_driven();

  [[nodiscard]] std::uint64_t add(EventSeq after, std::function<void(const Event&)> on_event);
  /// When this returns the subscriber is not called any more, unless it is the caller.
  void remove(std::uint64_t id);

 private:
  struct Subscriber {
    std::uint64_t id = 0;
    EventSeq after = 0;
    std::deque<std::pair<EventSeq, Timestamp>> seen;  ///< the newest, with their times
    std::function<void(const Event&)> on_event;
    bool removed = false;
  };
  struct Delivery {
    bool any = false;     ///< somebody was told something
    bool missed = false;  ///< the log could not be read
  };
  /// Up to a page for each subscriber.
  Delivery deliver_page();
  /// Goes back to the newest event that was delivered and is still in the log. Answers whether the
  /// log could be read.
  [[nodiscard]] bool rewind(Subscriber& subscriber);
  void work(const std::stop_token& stop);

  // Set in the constructor.
  Records& records_;
  const Duration poll_interval_;

  /// Held while subscribers are called. It guards where each of them reads (`after`, `seen`,
  /// `removed`). It is a plain mutex, which Clang does not check: a subscriber may unsubscribe from
  /// its own call, so it is recursive, and the check knows only mutexes that are not.
  std::recursive_mutex delivering_;

  Mutex mutex_;  ///< taken after `delivering_` where both are held
  Condition news_;
  std::vector<std::shared_ptr<Subscriber>> subscribers_ PAWL_GUARDED_BY(mutex_);
  std::uint64_t last_id_ PAWL_GUARDED_BY(mutex_) = 0;
  bool has_news_ PAWL_GUARDED_BY(mutex_) = false;
  bool is_pressing_ PAWL_GUARDED_BY(mutex_) = false;  ///< the news
  /// The thread; only what is pressing ends that early.
  bool is_pausing_ PAWL_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace pawl::runtime
