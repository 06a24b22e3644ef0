#include "service/http/stream_pump.hpp"

#include <utility>

namespace pawl::service {

using runtime::MutexLock;

namespace {

/// Calls a stream. False if it threw.
template <class Call>
bool is_done(const Call& call) {
  try {
    call();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

StreamPump::StreamPump(std::shared_ptr<RequestThreads> threads, std::shared_ptr<BodyStream> stream,
                       Deliver deliver)
    : threads_(std::move(threads)), deliver_(std::move(deliver)), stream_(std::move(stream)) {}

void StreamPump::start() {
  threads_->run([self = shared_from_this()] {
    // The stream may keep the waker for ever, so the waker does not keep the pump.
    (void)is_done([&] {
      self->stream_->on_wake([weak = self->weak_from_this()] {
        if (const auto pump = weak.lock()) pump->wake();
      });
    });
    self->work();
  });
}

void StreamPump::wake() {
  const MutexLock lock(mutex_);
  is_woken_ = true;
  if (phase_ == Phase::idle) enqueue();
}

void StreamPump::stop() {
  const MutexLock lock(mutex_);
  has_to_stop_ = true;
  if (phase_ == Phase::idle) enqueue();
}

void StreamPump::go_on() {
  const MutexLock lock(mutex_);
  if (phase_ != Phase::sending) return;
  phase_ = Phase::idle;
  if (has_work()) enqueue();
}

void StreamPump::cancel() {
  {
    const MutexLock lock(mutex_);
    const Phase before = std::exchange(phase_, Phase::over);
    // A thread that works lets go of the stream when it comes back.
    if (before == Phase::working || before == Phase::over) return;
  }
  threads_->run([stream = std::move(stream_)] {});
}

bool StreamPump::has_work() const { return last_ == State::more || is_woken_ || has_to_stop_; }

void StreamPump::enqueue() {
  phase_ = Phase::working;
  threads_->run([self = shared_from_this()] { self->work(); });
}

void StreamPump::work() {
  bool has_to_stop = false;
  {
    const MutexLock lock(mutex_);
    has_to_stop = std::exchange(has_to_stop_, false);
  }
  // A stream that cannot be stopped may still end by itself.
  if (has_to_stop) (void)is_done([&] { stream_->stop(); });
  if (!begin_piece()) return;
  BodyStream::Piece piece;
  if (!is_done([&] { piece = stream_->next(); })) piece = {.state = State::cut, .bytes = {}};
  const bool is_last = piece.state == State::end || piece.state == State::cut;
  const bool is_wanted = finish_piece(piece.state, is_last);
  if (is_last || !is_wanted) stream_.reset();
  if (is_wanted) deliver_(std::move(piece));
}

bool StreamPump::begin_piece() {
  bool is_over = false;
  {
    const MutexLock lock(mutex_);
    is_over = phase_ == Phase::over;
    if (!is_over && !has_work()) {
      phase_ = Phase::idle;  // it was only asked to stop, and wakes the pump when it can end
      return false;
    }
    is_woken_ = false;  // from here on, a wake asks for the piece after this one
  }
  if (is_over) stream_.reset();
  return !is_over;
}

bool StreamPump::finish_piece(State state, bool is_last) {
  const MutexLock lock(mutex_);
  if (phase_ == Phase::over) return false;
  phase_ = is_last ? Phase::over : Phase::sending;
  last_ = state;
  return true;
}

}  // namespace pawl::service
