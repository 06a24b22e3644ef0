#pragma once

/// A mutex that Clang can check. Members are marked with the mutex that guards them
/// (`PAWL_GUARDED_BY`), functions with the mutex that their caller holds (`PAWL_REQUIRES`). The
/// Clang build treats every violation as an error; other compilers ignore the marks.

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define PAWL_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define PAWL_THREAD_ATTRIBUTE(x)
#endif

#define PAWL_CAPABILITY(name) PAWL_THREAD_ATTRIBUTE(capability(name))
#define PAWL_SCOPED_CAPABILITY PAWL_THREAD_ATTRIBUTE(scoped_lockable)
#define PAWL_GUARDED_BY(mutex) PAWL_THREAD_ATTRIBUTE(guarded_by(mutex))
#define PAWL_REQUIRES(...) PAWL_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define PAWL_EXCLUDES(...) PAWL_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define PAWL_ACQUIRE(...) PAWL_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define PAWL_RELEASE(...) PAWL_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define PAWL_RETURN_CAPABILITY(x) PAWL_THREAD_ATTRIBUTE(lock_returned(x))
#define PAWL_NO_THREAD_SAFETY_ANALYSIS PAWL_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace pawl::runtime {

class PAWL_CAPABILITY("mutex") Mutex {
 public:
  void lock() PAWL_ACQUIRE() { mutex_.lock(); }
  void unlock() PAWL_RELEASE() { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

/// Holds the mutex as long as it lives.
class PAWL_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) PAWL_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() PAWL_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// A condition variable. Whoever waits checks afterwards why it was notified.
class Condition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

  void wait(Mutex& mutex) PAWL_REQUIRES(mutex) PAWL_NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  void wait_until(Mutex& mutex, std::chrono::steady_clock::time_point until)
      PAWL_REQUIRES(mutex) PAWL_NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait_until(lock, until);
    lock.release();
  }

 private:
  std::condition_variable condition_;
};

}  // namespace pawl::runtime
