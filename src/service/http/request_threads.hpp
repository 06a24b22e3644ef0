#pragma once

/// The threads that answer requests and make the pieces of streams, with one queue for all of them.

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/mutex.hpp"

namespace pawl::service {

class RequestThreads {
 public:
  using Work = std::move_only_function<void()>;

  ~RequestThreads() { close(); }

  void start(unsigned count) PAWL_EXCLUDES(mutex_);
  /// Runs it on one of the threads, in turn. After `close` it is dropped. Called from any thread.
  void run(Work work) PAWL_EXCLUDES(mutex_);
  /// Drops what has not begun and returns when the rest has ended. Not called from these threads.
  void close() PAWL_EXCLUDES(mutex_);
  /// How much work threw something.
  [[nodiscard]] std::int64_t faults() const { return faults_; }

 private:
  void serve() PAWL_EXCLUDES(mutex_);

  runtime::Mutex mutex_;
  runtime::Condition changed_;
  std::deque<Work> queue_ PAWL_GUARDED_BY(mutex_);
  bool is_closed_ PAWL_GUARDED_BY(mutex_) = false;
  std::atomic<std::int64_t> faults_ = 0;
  std::vector<std::thread> threads_;  ///< only in `start` and `close`
};

}  // namespace pawl::service
