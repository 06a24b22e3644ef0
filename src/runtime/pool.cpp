#include "runtime/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "pawl/core/result.hpp"
#include "runtime/tendency.hpp"

namespace pawl {

namespace {

using Steady = std::chrono::steady_clock;

/// What takes this long is worth the waking of a thread.
constexpr auto long_piece = std::chrono::microseconds(20);
/// So many short pieces may end before somebody tends.
constexpr std::int64_t untended_max = 128;
constexpr int looks_while_tended = 5;
/// So many short pieces are worth the waking of a thread although more are coming.
constexpr std::size_t together_max = 128;

}  // namespace

struct Pool::State {
  struct Piece {
    Ticket ticket;
    Work work;
  };
  struct Running {
    Ticket ticket;
    int looks = 0;  ///< how often somebody looked while it ran
    [[nodiscard]] bool is_stuck() const { return looks > 1; }
  };
  /// A thread that rests until it is woken by name.
  struct Rest {
    std::condition_variable ended;
    bool is_woken = false;
  };
  /// Who is to come for the piece of work that was queued.
  struct Comes {
    Rest* woken = nullptr;
    bool watched = false;
  };

  mutable std::mutex mutex;
  std::condition_variable thread_left;
  // Guarded by mutex.
  Duties duties;
  std::deque<Piece> queue;
  std::vector<Running> running;  ///< one for each thread at most
  std::set<Ticket> given_up;
  Ticket last_ticket = 0;
  std::uint64_t taken = 0;          ///< pieces of work that were begun
  std::uint64_t taken_at_look = 0;  ///< when somebody looked last
  int looks_without_progress = 0;
  std::int64_t threads = 0;  ///< that belong to the pool; abandoned ones do not
  std::int64_t tending = 0;
  std::int64_t stuck = 0;      ///< of those that run
  std::deque<Rest> rests;      ///< of every thread there ever was
  std::vector<Rest*> resting;  ///< the last to lie down is the first to be woken: it is warm
  bool waking = false;         ///< somebody has been woken and is not there yet
  bool tend_asked = false;     ///< one that is woken shall tend first
  Tendency pieces;             ///< whether they take long
  bool stopping = false;

  // Owned by the thread that submits, while it gathers.
  bool gathers = false;
  std::size_t gathered = 0;  ///< pieces that nobody was told of

  /// Threads that run something, or are about to, and will come back soon.
  [[nodiscard]] std::int64_t at_work() const {
    return threads - static_cast<std::int64_t>(resting.size()) - tending - stuck;
  }
  /// Whether one thread is enough for what there is.
  [[nodiscard]] bool is_one_enough() const { return duties.tend && !pieces.is_slow(); }

  /// False when this one does not run, or not any more.
  bool stop_running(Ticket ticket) {
    const auto one = std::ranges::find(running, ticket, &Running::ticket);
    if (one == running.end()) return false;
    if (one->is_stuck()) --stuck;
    running.erase(one);
    return true;
  }

  /// To be told so once the mutex is free.
  [[nodiscard]] Rest* wake_one() {
    Rest* rest = resting.back();
    resting.pop_back();
    rest->is_woken = true;
    waking = true;
    return rest;
  }

  [[nodiscard]] Comes who_comes(bool own) {
    if (queue.empty() || resting.empty() || waking) return {};
    if (!is_one_enough() || (!own && at_work() == 0)) return {.woken = wake_one()};
    return {.watched = !own || queue.size() > 1};
  }

  void tell(const Comes& comes) const {
    if (comes.woken != nullptr) comes.woken->ended.notify_one();
    if (comes.watched) duties.watch();
  }
};

namespace {

/// The pool whose thread this is.
thread_local const void* own_pool = nullptr;

}  // namespace

Pool::Pool(unsigned threads) : state_(std::make_shared<State>()) {
  for (unsigned i = 0; i < threads; ++i) {
    const std::lock_guard lock(state_->mutex);
    add_thread(state_);
  }
}

Pool::~Pool() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  while (!state_->resting.empty()) state_->wake_one()->ended.notify_one();
  state_->thread_left.wait(lock, [&] { return state_->threads == 0; });
}

void Pool::assign(Duties duties) {
  const std::lock_guard lock(state_->mutex);
  state_->duties = std::move(duties);
}

/// REQUIRES: the state's mutex is held. Threads are detached because an abandoned one must be able
/// to outlive the pool; the destructor waits for the others by count.
void Pool::add_thread(const std::shared_ptr<State>& state) {
  ++state->threads;
  std::thread([state] { work(state); }).detach();
}

void Pool::work(const std::shared_ptr<State>& state) {
  own_pool = state.get();
  std::int64_t untended = 0;
  std::unique_lock lock(state->mutex);
  State::Rest& rest = state->rests.emplace_back();
  const auto tend = [&] {
    untended = 0;
    if (!state->duties.tend) return;
    ++state->tending;
    lock.unlock();
    state->duties.tend();
    lock.lock();
    --state->tending;
  };
  for (;;) {
    const bool is_surplus = !state->stopping && state->is_one_enough() && state->at_work() > 1;
    const bool rests = is_surplus || state->queue.empty();
    if (std::exchange(state->tend_asked, false) || (rests && untended > 0)) {
      tend();
      continue;
    }
    if (rests) {
      if (state->stopping) break;
      // What is left to others who seem to be at it: one of them may be stuck.
      if (!state->queue.empty() && state->duties.watch) state->duties.watch();
      rest.is_woken = false;
      state->resting.push_back(&rest);
      rest.ended.wait(lock, [&] { return rest.is_woken; });
      state->waking = false;  // also where somebody else was quicker and nothing is left
      continue;
    }
    State::Piece piece = std::move(state->queue.front());
    state->queue.pop_front();
    state->running.push_back({.ticket = piece.ticket});
    ++state->taken;
    // One wakes the next, and only while there is work.
    const State::Comes comes = state->who_comes(false);
    lock.unlock();
    state->tell(comes);
    const Steady::time_point begun = Steady::now();
    piece.work();
    piece.work = nullptr;  // what it holds ends here, not under the lock
    const bool was_long = Steady::now() - begun >= long_piece;
    lock.lock();
    state->stop_running(piece.ticket);
    if (state->given_up.erase(piece.ticket) > 0) return;  // replaced long ago
    state->pieces.note(was_long);
    ++untended;
    if (was_long || untended >= untended_max) {
      tend();
    } else if (!state->queue.empty() && state->duties.watch) {
      state->duties.watch();  // what has ended waits until it is tended to
    }
  }
  --state->threads;
  state->thread_left.notify_all();
}

Pool::Ticket Pool::submit(Work work) {
  std::unique_lock lock(state_->mutex);
  const Ticket ticket = ++state_->last_ticket;
  state_->queue.push_back({.ticket = ticket, .work = std::move(work)});
  const bool waits = state_->gathers && state_->is_one_enough();
  if (waits && ++state_->gathered < together_max) return ticket;
  if (state_->gathers) state_->gathered = 0;
  const State::Comes comes = state_->who_comes(own_pool == state_.get());
  lock.unlock();
  state_->tell(comes);
  return ticket;
}

Pool::Together::Together(Pool& pool) : pool_(pool) {
  require(!std::exchange(pool_.state_->gathers, true), "one at a time gathers work");
}

Pool::Together::~Together() {
  State& state = *pool_.state_;
  state.gathers = false;
  if (std::exchange(state.gathered, 0) == 0) return;
  State::Comes comes;
  {
    const std::lock_guard lock(state.mutex);
    comes = state.who_comes(own_pool == &state);
  }
  state.tell(comes);
}

bool Pool::withdraw(Ticket ticket) {
  Work dropped;
  const std::lock_guard lock(state_->mutex);
  // Tickets are given out in the order of the queue.
  const auto piece = std::ranges::lower_bound(state_->queue, ticket, {}, &State::Piece::ticket);
  if (piece == state_->queue.end() || piece->ticket != ticket) return false;
  dropped = std::move(piece->work);
  state_->queue.erase(piece);
  return true;
}

void Pool::abandon(Ticket ticket) {
  const std::lock_guard lock(state_->mutex);
  // Its thread belongs to the pool no longer, so it does not count as running either.
  if (!state_->stop_running(ticket)) return;
  state_->given_up.insert(ticket);
  --state_->threads;
  if (!state_->stopping) add_thread(state_);
  state_->thread_left.notify_all();
}

std::int64_t Pool::abandoned() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::int64_t>(state_->given_up.size());
}

std::size_t Pool::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->queue.size();
}

bool Pool::ask_to_tend() {
  State::Comes comes;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->duties.tend || state_->resting.empty() || state_->waking) return false;
    state_->tend_asked = true;
    comes.woken = state_->wake_one();
  }
  state_->tell(comes);
  return true;
}

bool Pool::look() {
  State::Comes comes;
  bool again = false;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stuck = 0;
    for (State::Running& one : state_->running) {
      ++one.looks;
      if (one.is_stuck()) ++state_->stuck;
    }
    again = !state_->queue.empty() && !state_->resting.empty();
    const bool moved = std::exchange(state_->taken_at_look, state_->taken) != state_->taken;
    state_->looks_without_progress = moved || !again ? 0 : state_->looks_without_progress + 1;
    // One that tends comes back soon, unless what it tends to is stuck.
    const bool is_tended = state_->tending > 0;
    if (state_->looks_without_progress >= (is_tended ? looks_while_tended : 1) && !state_->waking) {
      if (!is_tended) state_->pieces.take_for_slow();
      comes.woken = state_->wake_one();
    }
  }
  state_->tell(comes);
  return again;
}

bool Pool::run_one() {
  std::unique_lock lock(state_->mutex);
  if (state_->queue.empty()) return false;
  State::Piece piece = std::move(state_->queue.front());
  state_->queue.pop_front();
  lock.unlock();
  piece.work();
  return true;
}

}  // namespace pawl
