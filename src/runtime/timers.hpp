#pragma once

/// When something about an attempt is due: its timeout, a gate's, the end of its grace.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pawl/core/ids.hpp"
#include "pawl/core/time.hpp"

namespace pawl::runtime {

struct Timer {
  Timestamp at;
  TaskId task;
  Version version = 0;
  enum class Kind : std::uint8_t { attempt, gate, grace } kind = Kind::attempt;
  friend bool operator>(const Timer& a, const Timer& b) { return a.at > b.at; }
};

class Timers {
 public:
  void push(const Timer& timer) {
    heap_.push_back(timer);
    std::ranges::push_heap(heap_, std::greater{});
  }

  /// The earliest; none: there is none.
  [[nodiscard]] Timestamp next() const { return heap_.empty() ? no_time : heap_.front().at; }

  [[nodiscard]] std::optional<Timer> take_due(Timestamp now) {
    if (heap_.empty() || heap_.front().at > now) return std::nullopt;
    std::ranges::pop_heap(heap_, std::greater{});
    const Timer due = heap_.back();
    heap_.pop_back();
    return due;
  }

  [[nodiscard]] std::size_t size() const { return heap_.size(); }

  /// An attempt that ends leaves its timers behind, and an hour of short ones would be millions: so
  /// those that nobody waits for are dropped whenever they are most of all.
  template <class IsWanted>
  void tidy(std::size_t wanted_at_most, const IsWanted& is_wanted) {
    if (heap_.size() < few || heap_.size() / 2 < wanted_at_most) return;
    std::erase_if(heap_, [&](const Timer& timer) { return !is_wanted(timer); });
    std::ranges::make_heap(heap_, std::greater{});
  }

 private:
  static constexpr std::size_t few = 1'000;

  std::vector<Timer> heap_;  ///< the earliest first
};

}  // namespace pawl::runtime
