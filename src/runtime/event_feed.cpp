#include "runtime/event_feed.hpp"

#include <algorithm>
#include <utility>

namespace pawl {

namespace {

/// So long news may wait for more of them.
constexpr Duration pause_between = std::chrono::milliseconds(1);

}  // namespace

void EventFeed::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void EventFeed::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      // Commits of other processes bring no notice; they are looked for now and then.
      news_.wait_for(lock, stop, poll_interval_, [&] { return has_news_; });
      has_news_ = false;
      is_pressing_ = false;
    }
    bool told = false;
    while (deliver()) told = true;
    if (!told) continue;
    std::unique_lock lock(mutex_);
    is_pausing_ = true;
    news_.wait_for(lock, stop, pause_between, [&] { return is_pressing_; });
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
    const std::lock_guard lock(mutex_);
    if (subscribers_.empty() || std::exchange(has_news_, true) || is_pausing_) return;
  }
  news_.notify_one();
}

void EventFeed::notify_at_once() {
  {
    const std::lock_guard lock(mutex_);
    if (subscribers_.empty()) return;
    has_news_ = true;
    is_pressing_ = true;
  }
  news_.notify_one();
}

bool EventFeed::deliver_if_driven() {
  if (thread_.joinable()) return false;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_news_, false)) return false;
  }
  const Delivery delivery = deliver_page();
  // There may be more than a page, and what could not be read now is read the next time.
  const std::lock_guard lock(mutex_);
  has_news_ = has_news_ || delivery.any || delivery.missed;
  return delivery.any;
}

EventFeed::Delivery EventFeed::deliver_page() {
  const std::lock_guard delivering(delivering_);
  std::vector<std::shared_ptr<Subscriber>> now;
  {
    const std::lock_guard lock(mutex_);
    now = subscribers_;
  }
  Delivery delivery;
  for (const auto& subscriber : now) {
    const auto events = records_.events({.after = subscriber->after, .limit = 1'000});
    if (!events) {  // the store does not answer now; the cursor stays
      delivery.missed = true;
      continue;
    }
    for (const Event& event : *events) {
      if (subscriber->removed) break;
      subscriber->after = event.seq;
      subscriber->on_event(event);
      delivery.any = true;
    }
  }
  return delivery;
}

std::uint64_t EventFeed::add(EventSeq after, std::function<void(const Event&)> on_event) {
  auto subscriber = std::make_shared<Subscriber>();
  subscriber->after = after;
  subscriber->on_event = std::move(on_event);
  {
    const std::lock_guard lock(mutex_);
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
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      subscribers_, [&](const auto& subscriber) { return subscriber->id == id; });
  if (found == subscribers_.end()) return;
  (*found)->removed = true;
  subscribers_.erase(found);
}

}  // namespace pawl
