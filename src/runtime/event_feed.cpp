#include "runtime/event_feed.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace pawl::runtime {

namespace {

using Steady = std::chrono::steady_clock;

/// How long news may wait to be delivered together.
constexpr Duration pause_between = std::chrono::milliseconds(1);
/// So many delivered events are remembered, in case the store is set back.
constexpr std::size_t seen_max = 1'024;

/// An event is known by its number and its time.
bool is(const Event& event, const std::pair<EventSeq, Timestamp>& seen) {
  return event.seq == seen.first && event.at == seen.second;
}

}  // namespace

void EventFeed::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void EventFeed::work(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);  // the thread either waits already or sees the request
    news_.notify_one();
  });
  while (!stop.stop_requested()) {
    {
      const MutexLock lock(mutex_);
      // Commits of other processes bring no notice; they are looked for now and then.
      const Steady::time_point until = Steady::now() + poll_interval_;
      while (!has_news_ && !stop.stop_requested() && Steady::now() < until) {
        news_.wait_until(mutex_, until);
      }
      has_news_ = false;
      is_pressing_ = false;
    }
    bool told = false;
    while (deliver()) told = true;
    if (!told) continue;
    const MutexLock lock(mutex_);
    is_pausing_ = true;
    const Steady::time_point until = Steady::now() + pause_between;
    while (!is_pressing_ && !stop.stop_requested() && Steady::now() < until) {
      news_.wait_until(mutex_, until);
    }
    is_pausing_ = false;
  }
}

void EventFeed::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  while (deliver()) {
  }
}

void EventFeed::notify() {
  {
    const MutexLock lock(mutex_);
    if (subscribers_.empty() || std::exchange(has_news_, true) || is_pausing_) return;
  }
  news_.notify_one();
}

void EventFeed::notify_at_once() {
  {
    const MutexLock lock(mutex_);
    if (subscribers_.empty()) return;
    has_news_ = true;
    is_pressing_ = true;
  }
  news_.notify_one();
}

bool EventFeed::deliver_if_driven() {
  if (thread_.joinable()) return false;
  {
    const MutexLock lock(mutex_);
    if (!std::exchange(has_news_, false)) return false;
  }
  const Delivery delivery = deliver_page();
  // There may be more than a page, and what could not be read now is read the next time.
  const MutexLock lock(mutex_);
  has_news_ = has_news_ || delivery.any || delivery.missed;
  return delivery.any;
}

EventFeed::Delivery EventFeed::deliver_page() {
  const std::lock_guard delivering(delivering_);
  std::vector<std::shared_ptr<Subscriber>> now;
  {
    const MutexLock lock(mutex_);
    now = subscribers_;
  }
  Delivery delivery;
  for (const auto& subscriber : now) {
    auto& seen = subscriber->seen;
    const EventSeq after = seen.empty() ? subscriber->after : seen.back().first - 1;
    const auto events = records_.events({.after = after, .limit = 1'000});
    if (!events) {  // the store does not answer now; the cursor stays
      delivery.missed = true;
      continue;
    }
    const bool follows = seen.empty() || (!events->empty() && is(events->front(), seen.back()));
    if (!follows) {
      delivery.any = rewind(*subscriber) || delivery.any;
      delivery.missed = true;
      continue;
    }
    for (const Event& event : std::span(*events).subspan(seen.empty() ? 0 : 1)) {
      if (subscriber->removed) break;
      subscriber->after = event.seq;
      if (seen.size() >= seen_max) seen.pop_front();
      seen.emplace_back(event.seq, event.at);
      subscriber->on_event(event);
      delivery.any = true;
    }
  }
  return delivery;
}

/// If more events were lost than are remembered, those in between are not delivered again; a store
/// that lost that many was replaced, not set back.
bool EventFeed::rewind(Subscriber& subscriber) {
  auto& seen = subscriber.seen;
  while (!seen.empty()) {
    const auto there = records_.events({.after = seen.back().first - 1, .limit = 1});
    if (!there) return false;
    if (!there->empty() && is(there->front(), seen.back())) return true;
    subscriber.after = seen.back().first - 1;
    seen.pop_back();
  }
  return true;
}

std::uint64_t EventFeed::add(EventSeq after, std::function<void(const Event&)> on_event) {
  auto subscriber = std::make_shared<Subscriber>();
  subscriber->after = after;
  subscriber->on_event = std::move(on_event);
  {
    const MutexLock lock(mutex_);
    subscriber->id = ++last_id_;
    subscribers_.push_back(subscriber);
    has_news_ = true;
    is_pressing_ = true;
  }
  news_.notify_one();
  return subscriber->id;
}

void EventFeed::remove(std::uint64_t id) {
  const std::lock_guard delivering(delivering_);
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find_if(
      subscribers_, [&](const auto& subscriber) { return subscriber->id == id; });
  if (found == subscribers_.end()) return;
  (*found)->removed = true;
  subscribers_.erase(found);
}

}  // namespace pawl::runtime
