#pragma once

/// The one thread that writes to the store. Calls run in order, one at a time; their answers go
/// back to the loop by post. Without a thread of its own it is driven by `run_one`.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace pawl {

class StoreThread {
 public:
  using Call = std::move_only_function<void()>;

  explicit StoreThread(bool own_thread) {
    if (own_thread) {
      thread_ = std::jthread([this](std::stop_token stop) { work(std::move(stop)); });
    }
  }

  void post(Call call) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(call));
    }
    arrived_.notify_one();
  }

  bool run_one() {
    std::unique_lock lock(mutex_);
    if (queue_.empty()) return false;
    Call call = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    call();
    return true;
  }

 private:
  void work(std::stop_token stop) {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        if (!arrived_.wait(lock, stop, [&] { return !queue_.empty(); })) return;
      }
      run_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::deque<Call> queue_;  // guarded by mutex_
  std::jthread thread_;     // last: it uses everything above
};

}  // namespace pawl
