#pragma once

/// Calls to the store, carried out in order and one at a time; their answers go back to the loop by
/// its inbox. There is a thread for them, and whoever has nothing better to do may carry one out
/// instead of waking it; where calls are short, that is cheaper than waking anybody.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/tendency.hpp"

namespace pawl {

class StoreThread {
 public:
  using Call = std::move_only_function<void()>;

  explicit StoreThread(bool own_thread) {
    if (own_thread) {
      thread_ = std::jthread([this](std::stop_token stop) { work(std::move(stop)); });
    }
  }

  /// Queues a call about so many tasks. It is carried out by the next `wake` or `run_one`.
  void post(Call call, std::size_t tasks = 1) {
    const std::lock_guard lock(mutex_);
    queue_.push_back({.call = std::move(call), .tasks = tasks});
  }

  /// Has the thread carry out what is queued.
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) return;
      wanted_ = true;
      if (busy_ || !std::exchange(resting_, false)) return;  // who is at it now passes it on
    }
    arrived_.notify_one();
  }

  /// Whether calls take so long that users' code should not wait for them.
  [[nodiscard]] bool is_slow() const {
    const std::lock_guard lock(mutex_);
    return calls_.is_slow();
  }

  /// Carries out one call on the caller's thread; false when there is none or somebody is at one.
  bool run_one() {
    {
      std::unique_lock lock(mutex_);
      if (busy_ || queue_.empty()) return false;
      run_front(lock);
      if (!wanted_ || !std::exchange(resting_, false)) return true;
    }
    arrived_.notify_one();
    return true;
  }

 private:
  void run_front(std::unique_lock<std::mutex>& lock) {
    auto [call, tasks] = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    const auto begun = std::chrono::steady_clock::now();
    call();
    call = nullptr;  // what it holds ends here, not under the lock
    const auto took = std::chrono::steady_clock::now() - begun;
    lock.lock();
    busy_ = false;
    calls_.note(took > slow_call + slow_task * tasks);
  }

  void work(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    const auto is_called = [&] {
      resting_ = !wanted_ || busy_;
      return !resting_;
    };
    while (arrived_.wait(lock, stop, is_called)) {
      wanted_ = !queue_.empty();
      if (wanted_) run_front(lock);
    }
  }

  struct Queued {
    Call call;
    std::size_t tasks;
  };
  /// What takes longer than this is worth the waking of a thread.
  static constexpr auto slow_call = std::chrono::microseconds(20);
  static constexpr auto slow_task = std::chrono::microseconds(5);

  mutable std::mutex mutex_;
  std::condition_variable_any arrived_;
  // Guarded by mutex_.
  std::deque<Queued> queue_;
  Tendency calls_;
  bool busy_ = false;
  bool wanted_ = false;   ///< the thread has been asked to carry out what is queued
  bool resting_ = false;  ///< the thread waits and has not been woken

  std::jthread thread_;  // last: it uses everything above
};

}  // namespace pawl
