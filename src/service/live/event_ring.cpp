#include "service/live/event_ring.hpp"

#include <algorithm>

namespace pawl::service {

EventRing::EventRing(std::size_t size, std::optional<EventSeq> after)
    : size_(size), after_(after) {}

void EventRing::append(const Event& event) {
  const std::lock_guard lock(mutex_);
  if (first_of_era_ == 0) first_of_era_ = event.seq;
  if (!after_) after_ = event.seq - 1;
  if (end_ == (first_segment_ + segments_.size()) * segment_size) {
    segments_.push_back(std::make_shared<Segment>());
  }
  // Nobody reads this entry before `end_` says that it is there.
  at(end_).event = event;
  ++end_;
  newest_ = event.seq;
  while (end_ - begin_ >= size_ + segment_size) {
    const Position next = (first_segment_ + 1) * segment_size;
    after_ = at(next - 1).event.seq;
    segments_.pop_front();
    ++first_segment_;
    begin_ = next;
  }
}

void EventRing::begin_era() {
  const std::lock_guard lock(mutex_);
  ++era_;
  lost_newest_ = std::max(lost_newest_, newest_);
  newest_ = 0;
  first_of_era_ = 0;
  after_ = std::nullopt;
  segments_.clear();
  first_segment_ = (end_ + segment_size - 1) / segment_size;
  end_ = first_segment_ * segment_size;
  begin_ = end_;
}

void EventRing::begin_after(EventSeq after) {
  const std::lock_guard lock(mutex_);
  if (!after_) after_ = after;
}

EventRing::State EventRing::state() const {
  const std::lock_guard lock(mutex_);
  return {.era = era_, .end = end_, .newest = newest_};
}

std::optional<EventRing::Position> EventRing::find(std::uint64_t era, EventSeq after) const {
  const std::lock_guard lock(mutex_);
  if (era != era_ || !after_ || after < *after_) return std::nullopt;
  Position low = begin_;
  for (Position high = end_; low < high;) {
    const Position middle = low + (high - low) / 2;
    if (at(middle).event.seq > after) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

bool EventRing::is_ambiguous(EventSeq seq) const {
  const std::lock_guard lock(mutex_);
  return first_of_era_ != 0 && seq >= first_of_era_ && seq <= lost_newest_;
}

EventRing::Run EventRing::read(std::uint64_t era, Position from, std::size_t max) const {
  const std::lock_guard lock(mutex_);
  Run run{.end = end_};
  if (era != era_) {
    run.kind = Run::Kind::reset;
  } else if (from < begin_) {
    run.kind = Run::Kind::forgotten;
  }
  if (run.kind != Run::Kind::events) return run;
  const Position stop = std::min<Position>(end_, from + max);
  for (Position position = from; position < stop; ++position) {
    if (run.keep.empty() || position % segment_size == 0) {
      run.keep.push_back(segments_[position / segment_size - first_segment_]);
    }
    run.entries.push_back(&at(position));
  }
  return run;
}

EventRing::Entry& EventRing::at(Position position) const {
  return (*segments_[position / segment_size - first_segment_])[position % segment_size];
}

}  // namespace pawl::service
