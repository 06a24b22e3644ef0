#pragma once

/// Times, child processes and folders for measurements.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace pawl::bench {

/// Ends the program: a benchmark has no use for half a run.
[[noreturn]] void give_up(const std::string& why);

/// Seconds of the processors that this process, all its threads together, has used so far.
[[nodiscard]] double processor_seconds();

class Stopwatch {
 public:
  Stopwatch() : start_(std::chrono::steady_clock::now()), processor_start_(processor_seconds()) {}
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// Says less of the machine's other users than the time on the wall does.
  [[nodiscard]] double processor() const { return processor_seconds() - processor_start_; }

 private:
  std::chrono::steady_clock::time_point start_;
  double processor_start_;
};

/// What a side has left in its database.
struct Written {
  std::int64_t transactions = 0;
  std::int64_t tasks = 0;
  std::int64_t attempts = 0;
  std::int64_t journal = 0;
  std::int64_t bytes = 0;  ///< of the database with its log folded in
};

/// One run of one side. Plain, because it comes from a child process through a pipe.
struct Sample {
  double seconds = 0;
  double processor = 0;  ///< seconds of all threads
  std::int64_t executions = 0;
  std::int64_t peak_kib = 0;
  /// Of W3, where both sides take turns in one process.
  struct Latency {
    double p50_ms = 0;
    double p99_ms = 0;
  };
  Latency ours;
  Latency limit;
  double commits_per_item = 0;
  double most_commits = 0;
  std::int64_t items_with_more = 0;
  Written wrote;

  [[nodiscard]] double rate() const { return static_cast<double>(executions) / seconds; }
  [[nodiscard]] double microseconds_each() const { return 1e6 / rate(); }
  [[nodiscard]] double processor_microseconds_each() const {
    return 1e6 * processor / static_cast<double>(executions);
  }
};
static_assert(std::is_trivially_copyable_v<Sample>);

/// Runs `work` in a process of its own, so that no run inherits the heap of another, and adds the
/// most memory it ever held. REQUIRES: this process has one thread.
[[nodiscard]] Sample in_child(const std::function<Sample()>& work);

/// The middle value, and the distance of the outermost ones in percent of it.
struct Spread {
  double median = 0;
  double percent = 0;
};
[[nodiscard]] Spread spread_of(std::vector<double> values);
/// The value below which this share of the values lies.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// A folder of its own that goes with this object.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& parent);
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pawl::bench
