#pragma once

/// A histogram of durations, from a millisecond to two days, with buckets that grow by a quarter.

#include <cstdint>
#include <map>
#include <optional>

#include "pawl/core/time.hpp"

namespace pawl::service {

class Durations {
 public:
  void add(Duration duration);
  void add(const Durations& others);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] Duration longest() const { return longest_; }
  /// The duration that this share of them (0 … 1) did not exceed, to about a tenth. None if there
  /// are none.
  [[nodiscard]] std::optional<Duration> quantile(double share) const;

 private:
  std::map<std::int8_t, std::uint32_t> buckets_;  ///< only those that have something
  std::int64_t count_ = 0;
  Duration longest_{};
};

}  // namespace pawl::service
