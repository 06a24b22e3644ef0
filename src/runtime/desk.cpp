#include "runtime/desk.hpp"

#include <algorithm>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "pawl/core/result.hpp"

namespace pawl::runtime {

namespace {

using Steady = Desk::Steady;

/// To wake a thread for a piece is worth it if pieces take this long.
constexpr auto long_piece = std::chrono::microseconds(20);
/// So many results of short pieces are worth a turn of the loop.
constexpr std::size_t results_max = 128;
constexpr auto check_interval = std::chrono::milliseconds(1);
/// The loop is driven at least this often.
constexpr Duration longest_pause = std::chrono::seconds(1);

void make_readable(int fd) {
  const std::uint64_t one = 1;
  (void)!::write(fd, &one, sizeof one);
}

}  // namespace

Desk::Desk(unsigned pieces_max)
    : pieces_max_(pieces_max), fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  require(fd_ >= 0, "the system gives no eventfd");
}

Desk::~Desk() { ::close(fd_); }

void Desk::post(Message message) {
  Seat* woken = nullptr;
  {
    const MutexLock lock(mutex_);
    mail_.messages.push_back(std::move(message));
    is_drive_due_ = true;
    tell_host();
    woken = thread_to_wake();
  }
  notify(woken);
}

void Desk::post_unhurried(Message message) {
  const MutexLock lock(mutex_);
  mail_.messages.push_back(std::move(message));
  tell_host();
}

std::int64_t Desk::abandoned() const {
  const MutexLock lock(mutex_);
  return static_cast<std::int64_t>(abandoned_.size());
}

std::size_t Desk::waiting_pieces() const {
  const MutexLock lock(mutex_);
  return pieces_.size();
}

Desk::Mail Desk::take_mail() {
  Mail taken;
  const MutexLock lock(mutex_);
  std::swap(taken, mail_);
  if (std::exchange(has_told_host_, false) && host_uses_fd_) {
    std::uint64_t count = 0;
    (void)!::read(fd_, &count, sizeof count);
  }
  return taken;
}

Desk::Ticket Desk::add_piece(Work piece) {
  const MutexLock lock(mutex_);
  pieces_.push_back({.ticket = ++last_ticket_, .work = std::move(piece)});
  return last_ticket_;
}

void Desk::add_call(Line line, Work call) {
  const MutexLock lock(mutex_);
  lines_[std::to_underlying(line)].queue.push_back(std::move(call));
}

void Desk::offer() {
  Seat* woken = nullptr;
  {
    const MutexLock lock(mutex_);
    woken = thread_to_wake();
  }
  notify(woken);
}

bool Desk::withdraw(Ticket ticket) {
  Work dropped;  // destroyed after the lock
  const MutexLock lock(mutex_);
  const auto piece = std::ranges::lower_bound(pieces_, ticket, {}, &Piece::ticket);
  if (piece == pieces_.end() || piece->ticket != ticket) return false;
  dropped = std::move(piece->work);
  pieces_.erase(piece);
  return true;
}

bool Desk::abandon(Ticket ticket) {
  const MutexLock lock(mutex_);
  if (!stop_running(ticket)) return false;
  abandoned_.insert(ticket);
  return true;
}

bool Desk::stop_running(Ticket ticket) {
  const auto one = std::ranges::find(running_, ticket, &RunningPiece::ticket);
  if (one == running_.end()) return false;
  running_.erase(one);
  return true;
}

bool Desk::run_piece() {
  std::optional<Chore> chore;
  {
    const MutexLock lock(mutex_);
    chore = take_piece();
  }
  if (!chore) return false;
  Message result = chore->work();
  const MutexLock lock(mutex_);
  stop_running(chore->ticket);
  add_result(std::move(result));
  return true;
}

bool Desk::run_call() {
  std::optional<Chore> chore;
  {
    const MutexLock lock(mutex_);
    chore = take_call();
  }
  if (!chore) return false;
  call_done(chore->line, chore->work());
  return true;
}

int Desk::fd() {
  const MutexLock lock(mutex_);
  if (!std::exchange(host_uses_fd_, true) && has_told_host_) make_readable(fd_);
  return fd_;
}

void Desk::wait_for_mail(Duration at_most) {
  const MutexLock lock(mutex_);
  if (mail_.is_empty()) mail_came_.wait_until(mutex_, Steady::now() + at_most);
}

/// The descriptor is written once until the mail is taken.
void Desk::tell_host() {
  if (threads_drive_) return;
  if (!std::exchange(has_told_host_, true) && host_uses_fd_) make_readable(fd_);
  mail_came_.notify_one();
}

Desk::Seat& Desk::take_seat() {
  const MutexLock lock(mutex_);
  return seats_.emplace_back();
}

void Desk::begin_driving() {
  Seat* woken = nullptr;
  {
    const MutexLock lock(mutex_);
    threads_drive_ = true;
    is_drive_due_ = true;
    woken = thread_to_wake();
  }
  notify(woken);
}

void Desk::dismiss() {
  const MutexLock lock(mutex_);
  is_dismissed_ = true;
  while (!resting_.empty()) notify(wake_one());
}

std::optional<Desk::Chore> Desk::next_chore(Seat& seat) {
  std::optional<Chore> chore;
  Seat* woken = nullptr;
  {
    const MutexLock lock(mutex_);
    for (;;) {
      chore = take_chore();
      if (chore || is_dismissed_) break;
      rest(seat);
    }
    woken = thread_to_wake();
  }
  notify(woken);
  return chore;
}

void Desk::call_done(Line line, Message answer) {
  const MutexLock lock(mutex_);
  lines_[std::to_underlying(line)].is_busy = false;
  if (!answer) return;
  mail_.messages.push_back(std::move(answer));
  is_drive_due_ = true;
  tell_host();
}

void Desk::drive_done(Duration pause) {
  const MutexLock lock(mutex_);
  driving_ = false;
  drive_at_ = Steady::now() + std::clamp(pause, Duration::zero(), longest_pause);
  if (!resting_.empty() && drive_at_ < standby_until_) notify(resting_.front());
}

bool Desk::piece_done(Ticket ticket, Message result, Steady::duration took) {
  Seat* woken = nullptr;
  {
    const MutexLock lock(mutex_);
    lengths_.note(took >= long_piece);
    add_result(std::move(result));
    if (took >= long_piece && !mail_.is_empty()) is_drive_due_ = true;
    stop_running(ticket);
    if (abandoned_.erase(ticket) == 0) return true;
    woken = thread_to_wake();  // this thread does not come back
  }
  notify(woken);
  return false;
}

void Desk::add_result(Message result) {
  if (!result) return;
  mail_.results.push_back(std::move(result));
  if (mail_.results.size() >= results_max) is_drive_due_ = true;
  tell_host();
}

std::optional<Desk::Chore> Desk::take_chore() {
  if (std::optional<Chore> call = take_call()) return call;
  const bool has_time = !mail_.is_empty() && !can_run_piece();
  if (can_drive() && (is_drive_due_ || has_time)) {
    driving_ = true;
    is_drive_due_ = false;
    drive_at_ = Steady::time_point::max();
    ++drives_begun_;
    return Chore{.kind = Chore::Kind::drive};
  }
  return take_piece();
}

std::optional<Desk::Chore> Desk::take_call() {
  for (const Line line : {Line::lease, Line::commits}) {
    Calls& calls = lines_[std::to_underlying(line)];
    if (calls.is_busy || calls.queue.empty()) continue;
    calls.is_busy = true;
    Chore chore{.kind = Chore::Kind::call, .line = line, .work = std::move(calls.queue.front())};
    calls.queue.pop_front();
    return chore;
  }
  return std::nullopt;
}

std::optional<Desk::Chore> Desk::take_piece() {
  if (!can_run_piece()) return std::nullopt;
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  running_.push_back({.ticket = piece.ticket});
  ++pieces_begun_;
  return Chore{.kind = Chore::Kind::piece, .ticket = piece.ticket, .work = std::move(piece.work)};
}

bool Desk::can_call() const {
  return std::ranges::any_of(
      lines_, [](const Calls& calls) { return !calls.is_busy && !calls.queue.empty(); });
}

bool Desk::can_run_piece() const {
  return !pieces_.empty() && (running_.size() < pieces_max_ || pieces_max_ == 0);
}

/// Whether a thread is busy with a short piece, and will come for the next one.
bool Desk::is_left_to_another() const {
  return !lengths_.is_slow() && !std::ranges::all_of(running_, &RunningPiece::is_stuck);
}

/// The rule: see the head of the header. Returns the thread to notify when the mutex is free.
Desk::Seat* Desk::thread_to_wake() {
  if (is_one_coming_ || resting_.empty()) return nullptr;
  if (can_call() || (can_drive() && is_drive_due_)) return wake_one();
  if (can_run_piece()) return is_left_to_another() ? begin_watch() : wake_one();
  if (!can_drive() || mail_.results.empty()) return nullptr;
  return std::ranges::all_of(running_, &RunningPiece::is_stuck) ? wake_one() : begin_watch();
}

Desk::Seat* Desk::wake_one() {
  Seat* const seat = resting_.back();
  resting_.pop_back();
  seat->is_woken = true;
  is_one_coming_ = true;
  return seat;
}

/// The standby, which is to wait for a shorter time from now on.
Desk::Seat* Desk::begin_watch() {
  if (std::exchange(is_watched_, true)) return nullptr;
  pieces_at_check_ = pieces_begun_;
  drives_at_check_ = drives_begun_;
  return resting_.front();
}

void Desk::notify(Seat* seat) {
  if (seat != nullptr) seat->woken.notify_one();
}

void Desk::rest(Seat& seat) {
  seat.is_woken = false;
  resting_.push_back(&seat);
  while (!seat.is_woken) {
    if (resting_.front() == &seat) {
      stand_by(seat);
    } else {
      seat.woken.wait(mutex_);
    }
  }
  is_one_coming_ = false;
}

/// Waits for the next check or for the time to drive. Another thread may become the standby
/// meanwhile, or this one may be woken.
void Desk::stand_by(Seat& seat) {
  standby_until_ = is_watched_ ? std::min(drive_at_, Steady::now() + check_interval) : drive_at_;
  if (standby_until_ == Steady::time_point::max()) {
    seat.woken.wait(mutex_);
  } else {
    seat.woken.wait_until(mutex_, standby_until_);
  }
  const Steady::time_point now = Steady::now();
  if (seat.is_woken || now < standby_until_) return;
  if (now >= drive_at_) {
    is_drive_due_ = true;
    drive_at_ = Steady::time_point::max();  // until it has been driven
  }
  if (is_watched_) check_progress();
  Seat* const woken = thread_to_wake();
  if (woken != &seat) notify(woken);
}

/// What was left at the last check and has not moved since is not left any longer.
void Desk::check_progress() {
  for (RunningPiece& one : running_) ++one.checks;
  const bool pieces_moved = std::exchange(pieces_at_check_, pieces_begun_) != pieces_begun_;
  const bool results_moved = std::exchange(drives_at_check_, drives_begun_) != drives_begun_;
  if (can_run_piece() && !pieces_moved) lengths_.take_for_slow();
  if (!mail_.results.empty() && !results_moved) is_drive_due_ = true;
  is_watched_ = false;  // begins again where something is still left
}

}  // namespace pawl::runtime
