#pragma once

/// What the people around the engine have done so far. Threads: any.

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "pawl/core/result.hpp"

namespace pawl::soak {

struct WorkTally {
  std::atomic<std::int64_t> jobs = 0;
  std::atomic<std::int64_t> items = 0;
  std::atomic<std::int64_t> answers = 0;
  std::atomic<std::int64_t> cancels = 0;
  std::atomic<std::int64_t> retried = 0;
  std::atomic<std::int64_t> purged = 0;
  std::atomic<std::int64_t> reads = 0;
  std::atomic<std::int64_t> events = 0;
  std::atomic<std::int64_t> kills = 0;

  /// Someone else was quicker, or it is too late: normal answers of a busy store. Any other error
  /// is trouble, and the first one is kept.
  template <class T>
  bool took(const Result<T>& result, const char* what) {
    if (result) return true;
    const ErrorCode code = result.error().code;
    if (code != ErrorCode::conflict && code != ErrorCode::refused && code != ErrorCode::not_found) {
      add_trouble(std::string(what) + ": " + result.error().text());
    }
    return false;
  }
  void add_trouble(std::string text) {
    const std::lock_guard lock(mutex_);
    if (trouble_.empty()) trouble_ = std::move(text);
  }
  [[nodiscard]] std::string trouble() {
    const std::lock_guard lock(mutex_);
    return trouble_;
  }

 private:
  std::mutex mutex_;
  std::string trouble_;  ///< guarded by mutex_
};

}  // namespace pawl::soak
