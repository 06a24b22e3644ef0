/// What the followers share: the texts of events, the news, and who must be woken.

#include <algorithm>
#include <utility>

#include "pawl/codec/names.hpp"
#include "service/live/follower.hpp"

namespace pawl::service {

Result<std::string> EventTexts::made(const Event& event) {
  const Result<Json> document = names_.document_of(event);
  if (!document) return std::unexpected(document.error());
  std::string text = "id: " + std::to_string(event.seq) + "\nevent: ";
  text += name_of(event.type);
  text += "\ndata: ";
  text += document->text();
  text += "\n\n";
  return text;
}

std::size_t EventTexts::prepare(std::span<EventRing::Entry* const> entries) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i]->text.empty()) continue;
    Result<std::string> text = made(entries[i]->event);
    if (!text) return i;
    entries[i]->text = std::move(*text);
  }
  return entries.size();
}

Result<std::string> EventTexts::text_of(const Event& event) {
  const std::lock_guard lock(mutex_);
  return made(event);
}

void EventNews::add(const Event& event) {
  types |= std::uint64_t{1} << static_cast<unsigned>(event.type);
  if (jobs.contains(event.job)) return;
  if (jobs.size() < jobs_max) {
    jobs.insert(event.job);
  } else {
    has_more_jobs = true;
  }
}

FollowerRoom::FollowerRoom(Store& the_store, const LiveLimits& the_limits,
                           std::function<SteadyTime()> the_now)
    : store(the_store),
      limits(the_limits),
      now(std::move(the_now)),
      ring(the_limits.ring, std::nullopt),
      texts(the_store.records()),
      seen_setbacks_(the_store.setbacks()) {}

void FollowerRoom::begin_after(EventSeq after) {
  ring.begin_after(after);
  const std::lock_guard lock(listeners_mutex_);
  heard_ = after;
}

void FollowerRoom::take(const Event& event) {
  ++events;
  {
    const std::lock_guard lock(news_mutex_);
    look_for_setback(event.seq);
    ring.append(event);
    const bool is_first = news_.types == 0;
    news_.add(event);
    if (is_first) has_news_.notify_one();
  }
  const std::lock_guard lock(listeners_mutex_);
  heard_ = event.seq;
  for (const Listener& listener : listeners_) listener.on_event(event);
}

void FollowerRoom::look_for_setback(EventSeq next) {
  const std::uint64_t setbacks = store.setbacks();
  const bool went_back = next != 0 && next <= ring.state().newest;
  if (std::exchange(seen_setbacks_, setbacks) != setbacks || went_back) ring.begin_era();
}

FollowerRoom::ListenerPlace FollowerRoom::listen(std::function<void(const Event&)> on_event) {
  const std::lock_guard lock(listeners_mutex_);
  listeners_.push_back({.id = ++last_listener_, .on_event = std::move(on_event)});
  return {.id = last_listener_, .after = heard_};
}

void FollowerRoom::unlisten(std::uint64_t id) {
  const std::lock_guard lock(listeners_mutex_);
  std::erase_if(listeners_, [&](const Listener& listener) { return listener.id == id; });
}

void FollowerRoom::add(const std::shared_ptr<Follower>& follower) {
  const std::lock_guard lock(followers_mutex_);
  all_.push_back(follower);
}

void FollowerRoom::wake_followers() {
  EventNews news;
  {
    const std::lock_guard lock(news_mutex_);
    look_for_setback(0);
    news = std::exchange(news_, {});
  }
  // A follower may end while it is woken, so nothing is locked then.
  std::vector<std::shared_ptr<Follower>> present;
  {
    const std::lock_guard lock(followers_mutex_);
    std::erase_if(all_, [](const auto& follower) { return follower.expired(); });
    for (const auto& follower : all_) {
      if (auto one = follower.lock()) present.push_back(std::move(one));
    }
  }
  const EventRing::State state = ring.state();
  const SteadyTime time = now();
  for (const auto& follower : present) follower->wake_for(news, state, time);
}

void FollowerRoom::stop() {
  is_stopped = true;
  std::vector<std::weak_ptr<Follower>> all;
  {
    const std::lock_guard lock(followers_mutex_);
    all = all_;
  }
  for (const auto& follower : all) {
    if (const auto one = follower.lock()) one->stop();
  }
}

void FollowerRoom::wait_for_news(const std::stop_token& stop, std::chrono::milliseconds at_most) {
  std::unique_lock lock(news_mutex_);
  has_news_.wait_for(lock, stop, at_most, [&] { return news_.types != 0; });
}

void FollowerRoom::pause(const std::stop_token& stop, std::chrono::microseconds time) {
  std::unique_lock lock(news_mutex_);
  has_news_.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace pawl::service
