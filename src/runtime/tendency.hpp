#pragma once

/// Whether something is usually slow, told from how long it took lately. One slow turn among many
/// quick ones, such as a thread that was interrupted, does not count; a few in a row do.

#include <algorithm>

namespace pawl::runtime {

class Tendency {
 public:
  void note(bool was_slow) {
    score_ = was_slow ? std::min(score_ + 2, most) : std::max(score_ - 1, 0);
  }
  /// What is known from elsewhere to be slow.
  void take_for_slow() { score_ = most; }
  [[nodiscard]] bool is_slow() const { return score_ > most / 2; }

 private:
  static constexpr int most = 8;
  int score_ = 0;
};

}  // namespace pawl::runtime
