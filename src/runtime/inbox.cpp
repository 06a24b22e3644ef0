#include "runtime/inbox.hpp"

#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace pawl {

Inbox::Inbox() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  require(fd_ >= 0, "the system gives no eventfd");
}

Inbox::~Inbox() { ::close(fd_); }

void Inbox::post(Call call) {
  std::unique_lock lock(mutex_);
  mail_.calls.push_back(std::move(call));
  announce(std::move(lock));
}

void Inbox::post(Finished finished) {
  std::unique_lock lock(mutex_);
  mail_.finished.push_back(std::move(finished));
  announce(std::move(lock));
}

/// The descriptor is written once per emptying, and nobody is notified under the lock.
void Inbox::announce(std::unique_lock<std::mutex> lock) {
  const bool first = !std::exchange(announced_, true);
  const bool wake = std::exchange(waiting_, false);
  lock.unlock();
  if (first) {
    const std::uint64_t one = 1;
    (void)!::write(fd_, &one, sizeof one);
  }
  if (wake) arrived_.notify_one();
}

Inbox::Mail Inbox::take() {
  Mail taken;
  const std::lock_guard lock(mutex_);
  std::swap(taken, mail_);
  if (std::exchange(announced_, false)) {
    std::uint64_t count = 0;
    (void)!::read(fd_, &count, sizeof count);
  }
  return taken;
}

void Inbox::wait(Duration at_most) {
  std::unique_lock lock(mutex_);
  if (!mail_.is_empty()) return;
  waiting_ = true;
  arrived_.wait_for(lock, at_most, [&] { return !mail_.is_empty(); });
  waiting_ = false;
}

}  // namespace pawl
