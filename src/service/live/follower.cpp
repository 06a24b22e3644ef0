#include "service/live/follower.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/names.hpp"

namespace pawl::service {
namespace {

constexpr std::uint32_t page_size = 500;
/// Pages of the records that are read for one piece, if they contain nothing that was chosen.
constexpr int pages_max = 10;

static_assert(static_cast<unsigned>(EventType::stage_resumed) < 64, "a type is one bit");

std::uint64_t bit_of(EventType type) { return std::uint64_t{1} << static_cast<unsigned>(type); }

std::uint64_t bits_of(const std::set<EventType>& types) {
  std::uint64_t bits = types.empty() ? ~std::uint64_t{0} : 0;
  for (const EventType type : types) bits |= bit_of(type);
  return bits;
}

/// A message to the client itself, which is not in the log.
std::string notice(std::string_view name, EventSeq last) {
  const std::string number = std::to_string(last);
  return "id: " + number + "\nevent: " + std::string(name) + "\ndata: {\"last_event\":" + number +
         "}\n\n";
}

}  // namespace

Follower::Follower(std::shared_ptr<FollowerRoom> room, EventChoice choice, EventSeq after,
                   MayFollow may_follow)
    : room_(std::move(room)),
      job_(choice.job),
      types_(bits_of(choice.types)),
      may_follow_(std::move(may_follow)),
      after_(after),
      allowed_at_(room_->now()),
      last_sent_(room_->now()),
      due_since_(room_->now()) {
  ++room_->followers;
}

Follower::~Follower() { --room_->followers; }

void Follower::stop() {
  is_stopping_ = true;
  wake();
}

void Follower::wake() {
  if (!is_idle_.exchange(false)) return;
  due_since_ = room_->now();
  if (wake_) wake_();
}

void Follower::wake_for(const EventNews& news, const EventRing::State& ring,
                        FollowerRoom::SteadyTime now) {
  if (!is_idle_) return;
  // A follower that chose nothing of what happens must not fall behind the ring.
  const EventRing::Position position = position_;
  const bool is_behind = ring.end > position && ring.end - position > room_->limits.ring / 4;
  const bool is_due = needs_polling_ || is_behind || is_news(news) || ring.era != era_ ||
                      now - last_sent_.load() >= room_->limits.heartbeat;
  if (is_due) wake();
}

bool Follower::is_news(const EventNews& news) const {
  if ((news.types & types_) == 0) return false;
  return !job_ || news.has_more_jobs || news.jobs.contains(job_);
}

bool Follower::wants(const Event& event) const {
  return (bit_of(event.type) & types_) != 0 && (!job_ || event.job == job_);
}

BodyStream::Piece Follower::next() {
  const auto now = room_->now();
  if (phase_ == Phase::ended || room_->is_stopped || is_stopping_) return {};
  std::string bytes;
  if (!std::exchange(has_begun_, true)) bytes = "retry: 1000\n\n";
  if (now - due_since_.load() > room_->limits.stalled_max) {
    drop(bytes);
    return {.state = State::end, .bytes = std::move(bytes)};
  }
  if (!is_allowed(now)) {
    bytes += notice("signed_out", told_);
    phase_ = Phase::ended;
    return {.state = State::end, .bytes = std::move(bytes)};
  }
  pages_ = 0;
  Found found = collect(bytes);
  while (found != Found::full && !becomes_idle(found)) found = collect(bytes);
  if (phase_ == Phase::ended || room_->is_stopped || is_stopping_) {
    return {.state = State::end, .bytes = std::move(bytes)};
  }
  if (bytes.empty()) add_heartbeat(bytes, now);
  if (bytes.empty() && found == Found::full) bytes = ": reading\n\n";
  if (!bytes.empty()) last_sent_ = now;
  if (found == Found::full) due_since_ = now;
  return {.state = found == Found::full ? State::more : State::idle, .bytes = std::move(bytes)};
}

bool Follower::becomes_idle(Found found) {
  needs_polling_ = found == Found::no_answer || phase_ != Phase::ring;
  is_idle_ = true;
  if (phase_ != Phase::ring || found == Found::no_answer) return true;
  const EventRing::State ring = room_->ring.state();
  const bool is_news = ring.end != position_ || ring.era != era_;
  // If somebody was quicker, the server knows that it must call again.
  return !is_news || !is_idle_.exchange(false);
}

Follower::Found Follower::collect(std::string& bytes) {
  for (;;) {
    if (bytes.size() >= room_->limits.piece_bytes) return Found::full;
    Found found = Found::nothing;
    switch (phase_) {
      case Phase::opening:
        found = check_cursor(bytes);
        break;
      case Phase::records:
        found = read_records(bytes);
        break;
      case Phase::ring:
        found = read_ring(bytes);
        break;
      case Phase::ended:
        return Found::nothing;
    }
    if (found != Found::some) return found;
  }
}

Follower::Found Follower::check_cursor(std::string& bytes) {
  era_ = room_->ring.state().era;
  if (after_ > 0) {
    if (room_->ring.is_ambiguous(after_)) return reset(bytes);
    const auto there = room_->store.records().events({.after = after_ - 1, .limit = 1});
    if (!there) return Found::no_answer;
    if (there->empty() || there->front().seq != after_) return reset(bytes);
  }
  told_ = after_;
  phase_ = Phase::records;
  return Found::some;
}

Follower::Found Follower::read_records(std::string& bytes) {
  if (room_->ring.state().era != era_) return reset(bytes);
  if (const auto position = room_->ring.find(era_, after_)) {
    position_ = *position;
    phase_ = Phase::ring;
    return Found::some;
  }
  if (++pages_ > pages_max) return Found::full;
  Records& records = room_->store.records();
  const Result<EventSeq> newest = records.last_event();
  if (!newest) return Found::no_answer;
  const auto page = records.events({.job = job_, .after = after_, .limit = page_size});
  if (!page) return Found::no_answer;
  for (const Event& event : *page) {
    if (wants(event)) {
      const Result<std::string> text = room_->texts.text_of(event);
      if (!text) return Found::no_answer;
      bytes += *text;
      told_ = event.seq;
    }
    after_ = event.seq;
    if (bytes.size() >= room_->limits.piece_bytes) return Found::full;
  }
  if (page->size() == page_size) return Found::some;
  // The page has everything of this job up to the event that was the newest before it was read.
  const bool is_done = page->empty() && *newest <= after_;
  after_ = std::max(after_, *newest);
  return is_done ? Found::nothing : Found::some;
}

Follower::Found Follower::read_ring(std::string& bytes) {
  const EventRing::Run run = room_->ring.read(era_, position_, page_size);
  if (run.kind == EventRing::Run::Kind::reset) return reset(bytes);
  if (run.kind == EventRing::Run::Kind::forgotten) {
    if (run.end - position_ > room_->limits.behind_max) {
      drop(bytes);
      return Found::full;
    }
    phase_ = Phase::records;
    return Found::some;
  }
  if (run.entries.empty()) return Found::nothing;
  std::vector<EventRing::Entry*> chosen;
  for (EventRing::Entry* const entry : run.entries) {
    // The records may have been ahead of the ring.
    if (entry->event.seq > after_ && wants(entry->event)) chosen.push_back(entry);
  }
  const std::size_t prepared = room_->texts.prepare(chosen);
  std::size_t size = bytes.size();
  for (std::size_t i = 0; i < prepared; ++i) size += chosen[i]->text.size();
  bytes.reserve(size);
  std::size_t sent = 0;
  for (EventRing::Entry* const entry : run.entries) {
    const bool is_chosen = sent < chosen.size() && entry == chosen[sent];
    if (is_chosen) {
      if (sent == prepared) return Found::no_answer;
      bytes += entry->text;
      told_ = entry->event.seq;
      ++sent;
    }
    after_ = std::max(after_, entry->event.seq);
    ++position_;
    if (bytes.size() >= room_->limits.piece_bytes) return Found::full;
  }
  return Found::some;
}

Follower::Found Follower::reset(std::string& bytes) {
  const std::uint64_t era = room_->ring.state().era;
  const Result<EventSeq> newest = room_->store.records().last_event();
  if (!newest) return Found::no_answer;
  era_ = era;
  after_ = *newest;
  told_ = *newest;
  phase_ = Phase::records;
  bytes += notice("reset", *newest);
  ++room_->resets;
  return Found::some;
}

void Follower::drop(std::string& bytes) {
  bytes += notice("dropped", after_);
  phase_ = Phase::ended;
  ++room_->dropped;
}

bool Follower::is_allowed(FollowerRoom::SteadyTime now) {
  if (!may_follow_ || now - allowed_at_ < room_->limits.heartbeat) return true;
  allowed_at_ = now;
  return may_follow_();
}

void Follower::add_heartbeat(std::string& bytes, FollowerRoom::SteadyTime now) {
  if (now - last_sent_.load() < room_->limits.heartbeat) return;
  if (phase_ != Phase::opening && after_ != told_) {
    bytes += "id: " + std::to_string(after_) + "\n";
    told_ = after_;
  }
  bytes += ": still here\n\n";
}

}  // namespace pawl::service
