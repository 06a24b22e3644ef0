#pragma once

/// Where the loop's threads leave word. Any thread may post; the loop takes everything at once.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "pawl/core/time.hpp"
#include "runtime/job_plan.hpp"

namespace pawl {

class Inbox {
 public:
  using Call = std::move_only_function<void()>;
  struct Mail {
    std::vector<Finished> finished;
    std::vector<Call> calls;
    [[nodiscard]] bool is_empty() const { return finished.empty() && calls.empty(); }
  };

  Inbox();
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  void post(Call call);
  void post(Finished finished);

  /// Everything that has come in.
  [[nodiscard]] Mail take();
  /// Waits until something comes in, at most this long.
  void wait(Duration at_most);
  /// Readable while something is in.
  [[nodiscard]] int fd() const { return fd_; }

 private:
  void announce(std::unique_lock<std::mutex> lock);

  int fd_ = -1;
  std::mutex mutex_;
  std::condition_variable arrived_;
  // Guarded by mutex_.
  Mail mail_;
  bool announced_ = false;
  bool waiting_ = false;
};

}  // namespace pawl
