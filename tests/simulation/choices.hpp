#pragma once

/// Every choice of a simulated run, from one seed. The choices are recorded on a tape. The tape
/// alone reproduces the run, and a shorter or smaller tape gives a simpler one. 0 is always the
/// plain choice: no fault, no policy, nothing special.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace pawl::simulation {

using Tape = std::vector<std::uint32_t>;

class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed), is_random_(true) {}
  /// Replays the tape; after its end, choices are plain.
  explicit Choices(Tape tape) : tape_(std::move(tape)) {}

  /// 0 … sides − 1. The distributions of standard libraries differ; this one is always the same.
  std::uint32_t below(std::uint32_t sides) {
    if (sides <= 1) return 0;
    if (next_ == tape_.size()) tape_.push_back(is_random_ ? draw() : 0);
    return tape_[next_++] % sides;
  }
  bool one_in(std::uint32_t sides) { return below(sides) == sides - 1; }
  /// The first value is the plain choice.
  template <class T>
  T any_of(std::initializer_list<T> from) {
    return *(from.begin() + below(static_cast<std::uint32_t>(from.size())));
  }
  template <class T>
  T& pick(std::vector<T>& from) {
    return from[below(static_cast<std::uint32_t>(from.size()))];
  }

  [[nodiscard]] const Tape& tape() const { return tape_; }
  [[nodiscard]] std::size_t used() const { return next_; }

 private:
  std::uint32_t draw() { return static_cast<std::uint32_t>(random_() >> 40U); }

  std::mt19937_64 random_{0};
  bool is_random_ = false;
  Tape tape_;
  std::size_t next_ = 0;
};

}  // namespace pawl::simulation
