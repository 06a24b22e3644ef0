#pragma once

/// Threads for the users' code. A handler that ignores its stop token cannot be killed: it is
/// abandoned, its thread is replaced, and the thread ends when the handler does at last.

#include <cstdint>
#include <functional>
#include <memory>

namespace pawl {

class Pool {
 public:
  using Work = std::move_only_function<void()>;
  /// Names a piece of work, so that it can be abandoned.
  using Ticket = std::uint64_t;

  /// `threads` 0: nothing runs until `run_one` is called.
  explicit Pool(unsigned threads);
  /// Waits for everything but abandoned work.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  Ticket submit(Work work);
  /// Drops work that has not begun: true. It has begun, or has ended: false.
  [[nodiscard]] bool withdraw(Ticket ticket);
  /// Gives up on work that has begun: its thread is replaced.
  void abandon(Ticket ticket);
  [[nodiscard]] std::int64_t abandoned() const;

  /// Runs one piece of work on the caller's thread; false when there is none. For `threads` 0.
  bool run_one();

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);
  static void add_thread(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;  // shared: an abandoned thread may outlive the pool
};

}  // namespace pawl
