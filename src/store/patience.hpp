#pragma once

/// Patience with a store that does not answer: its trouble is no fault of whoever brings something.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <type_traits>

#include "pawl/core/result.hpp"

namespace pawl::store {

struct Patience {
  std::stop_token stop;  ///< ends it
  std::function<void(const Error&)>
      on_trouble;  ///< called once, before the first wait; may be empty
  /// Called when it begins to wait and when it no longer does; may be empty.
  std::function<void(bool waits)> on_wait = {};
};

/// Asks again, every few seconds at last, as long as the answer is `unavailable` and nobody wants
/// it to stop; then that is the answer. Holds the calling thread.
template <class Ask>
std::invoke_result_t<Ask> ask_patiently(const Patience& patience, Ask ask) {
  using std::chrono::milliseconds;
  constexpr milliseconds shortest(50);
  constexpr milliseconds longest(5'000);
  const auto tell = [&](bool waits) {
    if (patience.on_wait) patience.on_wait(waits);
  };
  for (milliseconds pause = shortest;; pause = std::min(pause * 2, longest)) {
    std::invoke_result_t<Ask> answer = ask();
    const bool is_trouble = !answer && answer.error().code == ErrorCode::unavailable;
    if (!is_trouble || patience.stop.stop_requested()) {
      tell(false);
      return answer;
    }
    tell(true);
    if (pause == shortest && patience.on_trouble) patience.on_trouble(answer.error());
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, patience.stop, pause, [] { return false; });
  }
}

}  // namespace pawl::store
