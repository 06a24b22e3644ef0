#pragma once

/// What a long run may cost, and whether it did. The judgement is pure: figures in, findings out.
///
/// The first fifth of a run is the warm-up: caches fill, threads start. Later figures are compared
/// with the second fifth.

#include <cstdint>
#include <string>
#include <vector>

namespace pawl::soak {

/// The figures of one process at one moment.
struct Reading {
  double at = 0;  ///< seconds since the start
  double resident_mib = 0;
  std::int64_t descriptors = 0;
  std::int64_t threads = 0;
  double log_mib = 0;    ///< the write-ahead log of a SQLite store
  double store_mib = 0;  ///< the file of a SQLite store
};
/// The time of a lone item through its three stages, beside that of another on a store that does
/// not grow.
struct Passage {
  double at = 0;
  double milliseconds = 0;
  double beside = 0;
};
struct Course {
  double seconds = 0;
  std::vector<Reading> readings;
  std::vector<Passage> passages;
  std::int64_t orphans = 0;     ///< processes of attempts that outlived all workers
  std::int64_t unfinished = 0;  ///< jobs that did not end
  std::int64_t violations = 0;  ///< what `verify` found
  std::string trouble;          ///< the first error that the load does not explain
};

struct Limits {
  double resident_growth_mib = 32;
  double resident_trend_mib = 16;  ///< the rise of the fitted line over the second half
  std::int64_t more_descriptors = 8;
  std::int64_t more_threads = 0;
  double log_mib = 64;
  /// How much slower a lone item may become, unless the other one does too.
  double median_drift = 1.5;
  double tail_drift = 2.0;
  bool judges_memory = true;  ///< otherwise it is only reported, as are drifts
  bool judges_log = true;
  bool judges_drift = true;
};

struct Finding {
  std::string name;
  double measured = 0;
  double allowed = 0;
  std::string unit;
  bool is_judged = true;
  std::string said;  ///< if it is not a number

  [[nodiscard]] bool is_missed() const { return is_judged && !(measured <= allowed); }
  /// "resident memory grew by 41.2 MiB; 32 are allowed"
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] std::vector<Finding> judge(const Course& course, const Limits& limits);

}  // namespace pawl::soak
