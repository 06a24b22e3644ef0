#pragma once

/// Something the loop asks of the store from time to time, at most once at a time.
///
/// Threads: whoever drives the loop.

#include <utility>

#include "pawl/core/time.hpp"

namespace pawl::runtime {

class Errand {
 public:
  /// Plans it for this time, or for none.
  void plan(Timestamp at) { at_ = at; }
  /// Plans it no later than this.
  void plan_by(Timestamp at) {
    if (at_ == no_time || at < at_) at_ = at;
  }
  /// When it is due; none: it is not planned, or is out.
  [[nodiscard]] Timestamp next() const { return is_out_ ? no_time : at_; }
  [[nodiscard]] bool is_due(Timestamp now) const { return next() != no_time && now >= at_; }

  /// Returns whether to go. While it is out it does not go again, but is remembered as wanted.
  [[nodiscard]] bool begin() {
    if (is_out_) {
      is_wanted_ = true;
      return false;
    }
    is_out_ = true;
    at_ = no_time;
    return true;
  }
  /// Returns whether it was wanted again meanwhile.
  bool end() {
    is_out_ = false;
    return std::exchange(is_wanted_, false);
  }

 private:
  Timestamp at_;
  bool is_out_ = false;
  bool is_wanted_ = false;
};

}  // namespace pawl::runtime
