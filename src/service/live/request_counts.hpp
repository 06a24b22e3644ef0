#pragma once

/// Counts the requests that were answered, by route.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "service/api/router.hpp"
#include "service/live/metric_text.hpp"

namespace pawl::service {

class RequestCounts {
 public:
  explicit RequestCounts(std::size_t routes_max) : routes_max_(routes_max) {}

  void note(const RequestRecord& request);
  /// The families of requests.
  void write(MetricText& text);

 private:
  using Key = std::tuple<std::string, std::string, unsigned>;  ///< route, method, status / 100

  const std::size_t routes_max_;
  std::mutex mutex_;
  std::map<Key, std::int64_t> counts_;          ///< guarded by mutex_
  std::map<std::string, Histogram> durations_;  ///< by route; guarded by mutex_
};

}  // namespace pawl::service
