#include "service/live/live_events.hpp"

#include <utility>

#include "service/live/follower.hpp"

namespace pawl::service {
namespace {

constexpr std::chrono::milliseconds tick = std::chrono::seconds(1);
/// While events come fast, the followers are woken about so often. More followers are woken less
/// often, so that the work does not grow with the number of events times that of followers.
constexpr std::chrono::microseconds pause_min = std::chrono::milliseconds(10);
constexpr std::chrono::microseconds pause_for_each = std::chrono::microseconds(100);

}  // namespace

LiveEvents::LiveEvents(Engine& engine, const LiveLimits& limits, std::function<SteadyTime()> now)
    : engine_(engine),
      room_(std::make_shared<FollowerRoom>(engine.store(), limits, std::move(now))) {
  subscribe();
  if (!limits.has_thread) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

LiveEvents::~LiveEvents() {
  thread_ = {};
  stop();
}

void LiveEvents::subscribe() {
  const std::lock_guard lock(mutex_);
  if (is_subscribed_) return;
  const Result<EventSeq> newest = engine_.records().last_event();
  if (!newest) return;
  is_subscribed_ = true;
  room_->begin_after(*newest);
  subscription_ =
      engine_.subscribe(*newest, [room = room_](const Event& event) { room->take(event); });
}

void LiveEvents::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    room_->wait_for_news(stop, tick);
    wake_followers();
    room_->pause(stop, pause_min + pause_for_each * room_->followers.load());
  }
}

void LiveEvents::wake_followers() {
  subscribe();
  room_->wake_followers();
}

std::shared_ptr<BodyStream> LiveEvents::follow(EventChoice choice, EventSeq after,
                                               MayFollow may_follow) {
  auto follower =
      std::make_shared<Follower>(room_, std::move(choice), after, std::move(may_follow));
  room_->add(follower);
  return follower;
}

Result<std::shared_ptr<BodyStream>> LiveEvents::follow(EventChoice choice, MayFollow may_follow) {
  const Result<EventSeq> newest = engine_.records().last_event();
  if (!newest) return std::unexpected(newest.error());
  return follow(std::move(choice), *newest, std::move(may_follow));
}

void LiveEvents::stop() { room_->stop(); }

Listening LiveEvents::listen(std::function<void(const Event&)> on_event) {
  const FollowerRoom::ListenerPlace place = room_->listen(std::move(on_event));
  return {.subscription = Subscription([room = room_, id = place.id] { room->unlisten(id); }),
          .after = place.after};
}

LiveEvents::Figures LiveEvents::figures() const {
  return {.followers = room_->followers,
          .dropped = room_->dropped,
          .resets = room_->resets,
          .events = room_->events};
}

}  // namespace pawl::service
