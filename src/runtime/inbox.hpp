#pragma once

/// Where word is left for the loop. Any thread may post; whoever drives the loop takes everything
/// at once.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "pawl/core/time.hpp"
#include "runtime/job_plan.hpp"

namespace pawl {

class Inbox {
 public:
  using Call = std::move_only_function<void()>;
  struct Mail {
    std::vector<std::unique_ptr<Finished>> finished;
    std::vector<Call> calls;
    [[nodiscard]] bool is_empty() const { return finished.empty() && calls.empty(); }
  };

  Inbox();
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// While one lives, its thread wakes nobody by what it posts here: it drives the loop afterwards.
  class Quiet {
   public:
    explicit Quiet(const Inbox& inbox);
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    const Inbox* before_;
  };

  /// Leaves word and wakes whoever waits for it.
  void post(Call call);
  /// Leaves word that has time until the loop is driven anyway, which is within a second. Nobody is
  /// woken where the threads of the pool share the driving.
  void leave(Call call);
  /// By a thread of the pool. Where these share the driving of the loop, nobody is woken.
  void post(std::unique_ptr<Finished> finished);
  void share() { shared_ = true; }

  /// Everything that has come in.
  [[nodiscard]] Mail take();
  [[nodiscard]] bool has_mail() const;

  /// Waits until word is posted or `wake` is called, at most this long: true. While a watch is
  /// kept, or when one begins, it is time to look after a millisecond: false.
  bool wait(Duration at_most);
  void wake();

  /// Asks whoever waits to look around every millisecond from now on. Costs nothing while it does.
  void keep_watch();
  /// Ends the watch. What made it necessary has to be looked at after this, not before.
  void end_watch() { watched_ = false; }
  [[nodiscard]] bool is_watched() const { return watched_; }

  /// Readable while word has been posted and not taken.
  [[nodiscard]] int fd();

 private:
  void announce(std::unique_lock<std::mutex> lock);

  const int fd_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::atomic<bool> watched_ = false;
  std::atomic<bool> shared_ = false;
  // Guarded by mutex_.
  Mail mail_;
  bool announced_ = false;
  bool waiting_ = false;
  bool fd_is_used_ = false;  ///< a host waits on it; otherwise nobody has to write to it
};

}  // namespace pawl
