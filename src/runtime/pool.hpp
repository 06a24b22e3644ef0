#pragma once

/// Threads for the users' code. A handler that ignores its stop token cannot be killed: it is
/// abandoned, its thread is replaced, and the thread ends when the handler does at last.
///
/// Handing a short piece of work to another thread costs more than the work. So a burst of short
/// pieces is left to one thread, and another is woken only when pieces have proven to be long. That
/// a short one suddenly is not is noticed by whoever keeps the watch (`look`), within a
/// millisecond or two.

#include <cstdint>
#include <functional>
#include <memory>

namespace pawl {

class Pool {
 public:
  using Work = std::move_only_function<void()>;
  /// Names a piece of work, so that it can be abandoned.
  using Ticket = std::uint64_t;

  /// What the threads do beside their work.
  struct Duties {
    /// Called by a thread after a long piece of work, after many short ones, and before it rests.
    std::function<void()> tend;
    /// Called when something is left to a thread that may not come soon: `look` is needed.
    std::function<void()> watch;
  };

  /// `threads` 0: nothing runs until `run_one` is called.
  explicit Pool(unsigned threads);
  /// Waits for everything but abandoned work.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Gives the threads their duties. Without them, each piece of work wakes a thread that rests.
  void assign(Duties duties);

  Ticket submit(Work work);
  /// While one lives, a thread is woken for many short pieces together: woken for one, it would
  /// have done it, and rest again, before the next one comes. There is one at a time, and only its
  /// thread submits meanwhile.
  class Together {
   public:
    explicit Together(Pool& pool);
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

   private:
    Pool& pool_;
  };
  /// Drops work that has not begun: true. It has begun, or has ended: false.
  [[nodiscard]] bool withdraw(Ticket ticket);
  /// Gives up on work that has begun: its thread is replaced.
  void abandon(Ticket ticket);
  [[nodiscard]] std::int64_t abandoned() const;
  /// Pieces of work that wait for a thread.
  [[nodiscard]] std::size_t waiting() const;

  /// Has a resting thread tend at once; false when none rests.
  [[nodiscard]] bool ask_to_tend();
  /// Wakes a thread for work that nobody came for since the last look; answers whether to look
  /// again.
  bool look();

  /// Runs one piece of work on the caller's thread; false when there is none. For `threads` 0.
  bool run_one();

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);
  static void add_thread(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;  // shared: an abandoned thread may outlive the pool
};

}  // namespace pawl
