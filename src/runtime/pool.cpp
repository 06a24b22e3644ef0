#include "runtime/pool.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "pawl/core/result.hpp"

namespace pawl {

struct Pool::State {
  struct Piece {
    Ticket ticket;
    Work work;
  };
  mutable std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex.
  std::deque<Piece> queue;
  std::set<Ticket> running;
  std::set<Ticket> given_up;
  Ticket last_ticket = 0;
  std::int64_t threads = 0;  ///< that belong to the pool; abandoned ones do not
  std::int64_t idle = 0;
  bool waking = false;  ///< somebody has been woken and is not there yet
  bool stopping = false;
};

Pool::Pool(unsigned threads) : state_(std::make_shared<State>()) {
  for (unsigned i = 0; i < threads; ++i) {
    const std::lock_guard lock(state_->mutex);
    add_thread(state_);
  }
}

Pool::~Pool() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
  state_->changed.wait(lock, [&] { return state_->threads == 0; });
}

/// REQUIRES: the state's mutex is held. Threads are detached because an abandoned one must be able
/// to outlive the pool; the destructor waits for the others by count.
void Pool::add_thread(const std::shared_ptr<State>& state) {
  ++state->threads;
  std::thread([state] { work(state); }).detach();
}

void Pool::work(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    ++state->idle;
    state->changed.wait(lock, [&] { return state->stopping || !state->queue.empty(); });
    --state->idle;
    state->waking = false;
    if (state->queue.empty()) break;
    State::Piece piece = std::move(state->queue.front());
    state->queue.pop_front();
    state->running.insert(piece.ticket);
    // One wakes the next, and only while there is work: waking all for a burst of short work costs
    // more than the work.
    const bool wake_next = !state->queue.empty() && state->idle > 0 && !state->waking;
    if (wake_next) state->waking = true;
    lock.unlock();
    if (wake_next) state->changed.notify_one();
    piece.work();
    piece.work = nullptr;  // what it holds ends here, not under the lock
    lock.lock();
    state->running.erase(piece.ticket);
    if (state->given_up.erase(piece.ticket) > 0) return;  // replaced long ago
  }
  --state->threads;
  state->changed.notify_all();
}

Pool::Ticket Pool::submit(Work work) {
  std::unique_lock lock(state_->mutex);
  const Ticket ticket = ++state_->last_ticket;
  state_->queue.push_back({.ticket = ticket, .work = std::move(work)});
  const bool wake = state_->idle > 0 && !state_->waking;
  if (wake) state_->waking = true;
  lock.unlock();
  if (wake) state_->changed.notify_one();
  return ticket;
}

bool Pool::withdraw(Ticket ticket) {
  Work dropped;
  const std::lock_guard lock(state_->mutex);
  for (auto piece = state_->queue.begin(); piece != state_->queue.end(); ++piece) {
    if (piece->ticket != ticket) continue;
    dropped = std::move(piece->work);
    state_->queue.erase(piece);
    return true;
  }
  return false;
}

void Pool::abandon(Ticket ticket) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->running.contains(ticket) || !state_->given_up.insert(ticket).second) return;
  --state_->threads;
  if (!state_->stopping) add_thread(state_);
  state_->changed.notify_all();
}

std::int64_t Pool::abandoned() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::int64_t>(state_->given_up.size());
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
