#include "service/live/durations.hpp"

#include <algorithm>
#include <cmath>

namespace pawl::service {
namespace {

constexpr double growth = 1.25;
constexpr double smallest = 1'000;  // microseconds

/// The upper end of the bucket is smallest · growth^bucket.
std::int8_t bucket_of(Duration duration) {
  const auto time = static_cast<double>(duration.count());
  if (time <= smallest) return 0;
  const double bucket = std::ceil(std::log(time / smallest) / std::log(growth));
  return static_cast<std::int8_t>(std::min(bucket, 100.0));
}

}  // namespace

void Durations::add(Duration duration) {
  ++buckets_[bucket_of(duration)];
  ++count_;
  longest_ = std::max(longest_, duration);
}

void Durations::add(const Durations& others) {
  for (const auto& [bucket, count] : others.buckets_) buckets_[bucket] += count;
  count_ += others.count_;
  longest_ = std::max(longest_, others.longest_);
}

std::optional<Duration> Durations::quantile(double share) const {
  if (count_ == 0) return std::nullopt;
  const auto wanted = std::max<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_))), 1);
  std::int64_t before = 0;
  for (const auto& [bucket, count] : buckets_) {
    before += count;
    if (before < wanted) continue;
    // The middle of the bucket on a logarithmic scale.
    const double middle = smallest * std::pow(growth, static_cast<double>(bucket) - 0.5);
    return std::min(Duration{static_cast<Duration::rep>(middle)}, longest_);
  }
  return longest_;
}

}  // namespace pawl::service
