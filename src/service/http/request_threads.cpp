#include "service/http/request_threads.hpp"

#include <utility>

namespace pawl::service {

using runtime::MutexLock;

void RequestThreads::start(unsigned count) {
  for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { serve(); });
}

void RequestThreads::run(Work work) {
  {
    const MutexLock lock(mutex_);
    if (is_closed_) return;
    queue_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void RequestThreads::close() {
  std::deque<Work> dropped;
  {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    dropped.swap(queue_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void RequestThreads::serve() {
  for (;;) {
    Work work;
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !is_closed_) changed_.wait(mutex_);
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    try {
      work();
    } catch (...) {
      // Handlers and streams are caught where they are called; what is left is a lack of memory.
      ++faults_;
    }
  }
}

}  // namespace pawl::service
