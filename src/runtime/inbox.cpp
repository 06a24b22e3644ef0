#include "runtime/inbox.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace pawl {

namespace {

constexpr Duration watch_interval = std::chrono::milliseconds(1);

/// The one that this thread posts to without waking anybody.
thread_local const Inbox* quiet_inbox = nullptr;

void make_readable(int fd) {
  const std::uint64_t one = 1;
  (void)!::write(fd, &one, sizeof one);
}

}  // namespace

Inbox::Inbox() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  require(fd_ >= 0, "the system gives no eventfd");
}

Inbox::~Inbox() { ::close(fd_); }

Inbox::Quiet::Quiet(const Inbox& inbox) : before_(std::exchange(quiet_inbox, &inbox)) {}
Inbox::Quiet::~Quiet() { quiet_inbox = before_; }

void Inbox::post(Call call) {
  std::unique_lock lock(mutex_);
  mail_.calls.push_back(std::move(call));
  if (quiet_inbox != this) announce(std::move(lock));
}

void Inbox::leave(Call call) {
  std::unique_lock lock(mutex_);
  mail_.calls.push_back(std::move(call));
  if (!shared_) announce(std::move(lock));
}

void Inbox::post(std::unique_ptr<Finished> finished) {
  std::unique_lock lock(mutex_);
  mail_.finished.push_back(std::move(finished));
  if (!shared_) announce(std::move(lock));
}

void Inbox::wake() { announce(std::unique_lock(mutex_)); }

/// The descriptor is written once per emptying, and nobody is notified under the lock.
void Inbox::announce(std::unique_lock<std::mutex> lock) {
  const bool first = !std::exchange(announced_, true);
  const bool wake = std::exchange(waiting_, false);
  if (first && fd_is_used_) make_readable(fd_);
  lock.unlock();
  if (wake) arrived_.notify_one();
}

Inbox::Mail Inbox::take() {
  Mail taken;
  const std::lock_guard lock(mutex_);
  std::swap(taken, mail_);
  if (std::exchange(announced_, false) && fd_is_used_) {
    std::uint64_t count = 0;
    (void)!::read(fd_, &count, sizeof count);
  }
  return taken;
}

bool Inbox::has_mail() const {
  const std::lock_guard lock(mutex_);
  return !mail_.is_empty();
}

int Inbox::fd() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(fd_is_used_, true) && announced_) make_readable(fd_);
  return fd_;
}

bool Inbox::wait(Duration at_most) {
  std::unique_lock lock(mutex_);
  if (announced_) return true;
  const bool was_watched = watched_;
  const bool looks = was_watched && at_most > watch_interval;
  arrived_.wait_for(lock, looks ? watch_interval : at_most, [&] {
    // Set each time: word may have been taken by another before we were awake.
    waiting_ = !announced_ && watched_ == was_watched;
    return !waiting_;
  });
  waiting_ = false;
  return announced_ || !(looks || watched_ != was_watched);
}

void Inbox::keep_watch() {
  if (watched_ || watched_.exchange(true)) return;
  {
    const std::lock_guard lock(mutex_);  // whoever is about to wait has not looked yet, or waits
    if (!std::exchange(waiting_, false)) return;
  }
  arrived_.notify_one();
}

}  // namespace pawl
