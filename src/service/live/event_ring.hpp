#pragma once

/// The newest events, in the order in which the engine reported them.
///
/// A store that was set back (a failover to a standby that lacked the newest commits) gives numbers
/// of lost events to other events. So the ring counts eras: within one era the numbers grow, and
/// when a new era begins, the events before it are forgotten.
///
/// Threads: every function may be called from any thread at the same time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/event.hpp"

namespace pawl::service {

class EventRing {
 public:
  struct Entry {
    Event event;
    /// What followers are sent. Made by the first one that needs it, and empty until then; guarded
    /// by the mutex of the texts (see follower.hpp).
    std::string text;
  };
  /// Where an event is: the number of events that were reported before it.
  using Position = std::uint64_t;

  /// Keeps at least `size` events. Holds every event after `after`, once it was reported; none:
  /// every event after the first one.
  EventRing(std::size_t size, std::optional<EventSeq> after);

  void append(const Event& event);
  /// Forgets all events. The next one begins an era.
  void begin_era();
  /// From now on the ring holds every event after this one. Only while it is empty.
  void begin_after(EventSeq after);

  struct State {
    std::uint64_t era = 0;
    Position end = 0;     ///< of the next event
    EventSeq newest = 0;  ///< 0: none in this era
  };
  [[nodiscard]] State state() const;

  /// The position of the first event after this one. None if the ring may lack some of the events
  /// after it, or if the era is over.
  [[nodiscard]] std::optional<Position> find(std::uint64_t era, EventSeq after) const;

  /// Whether a number was given to an event before the store was set back the last time, and again
  /// to another one since.
  [[nodiscard]] bool is_ambiguous(EventSeq seq) const;

  /// Some events in a row. They live as long as this.
  struct Run {
    enum class Kind : std::uint8_t {
      events,     ///< none: nothing has happened since
      forgotten,  ///< the ring has no event at this position any more
      reset,      ///< the era is over
    };
    Kind kind = Kind::events;
    std::vector<Entry*> entries;
    Position end = 0;  ///< of the newest event
    std::vector<std::shared_ptr<void>> keep;
  };
  /// Up to `max` events from this position on.
  [[nodiscard]] Run read(std::uint64_t era, Position from, std::size_t max) const;

 private:
  static constexpr std::size_t segment_size = 256;
  using Segment = std::array<Entry, segment_size>;

  [[nodiscard]] Entry& at(Position position) const;  ///< `mutex_` is held
  [[nodiscard]] Position begin() const { return first_segment_ * segment_size; }

  const std::size_t size_;
  mutable std::mutex mutex_;
  // All of these are guarded by mutex_.
  std::deque<std::shared_ptr<Segment>> segments_;
  std::uint64_t first_segment_ = 0;  ///< the number of the first of them
  Position begin_ = 0;               ///< of the oldest event of this era
  Position end_ = 0;
  std::uint64_t era_ = 0;
  std::optional<EventSeq> after_;  ///< every event of this era after this one is here
  EventSeq newest_ = 0;
  EventSeq lost_newest_ = 0;   ///< the newest event of the era before
  EventSeq first_of_era_ = 0;  ///< 0: none yet
};

}  // namespace pawl::service
