#pragma once

/// Takes the pieces of one stream, one after another, on the request threads.
///
/// A stream that idles holds no thread. It is asked again after it was woken, whether it was woken
/// while it idled, while its last piece was made, or while that piece was sent.

#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/mutex.hpp"
#include "service/http/message.hpp"
#include "service/http/request_threads.hpp"

namespace pawl::service {

class StreamPump : public std::enable_shared_from_this<StreamPump> {
 public:
  /// Called on a request thread with each piece; the next one is not made before `go_on`. A stream
  /// that throws is cut.
  using Deliver = std::function<void(BodyStream::Piece)>;

  /// The threads outlive the pump's connection, but wakers may hold the pump for longer.
  StreamPump(std::shared_ptr<RequestThreads> threads, std::shared_ptr<BodyStream> stream,
             Deliver deliver);

  /// Asks for the first piece. Called once.
  void start() PAWL_EXCLUDES(mutex_);
  /// The last piece was sent.
  void go_on() PAWL_EXCLUDES(mutex_);
  /// The server is stopping: the stream is asked to end.
  void stop() PAWL_EXCLUDES(mutex_);
  /// Nothing more is wanted: the stream is let go of, on a request thread.
  void cancel() PAWL_EXCLUDES(mutex_);

 private:
  using State = BodyStream::State;
  enum class Phase : std::uint8_t {
    working,  ///< queued for a request thread, or on one
    sending,  ///< the server has a piece
    idle,     ///< nothing to do until the stream is woken or stopped
    over,     ///< ended or cancelled
  };

  void wake() PAWL_EXCLUDES(mutex_);
  void work() PAWL_EXCLUDES(mutex_);
  [[nodiscard]] bool has_work() const PAWL_REQUIRES(mutex_);
  void enqueue() PAWL_REQUIRES(mutex_);
  /// False if no piece is to be made now.
  [[nodiscard]] bool begin_piece() PAWL_EXCLUDES(mutex_);
  /// False if the piece is no longer wanted.
  [[nodiscard]] bool finish_piece(State state, bool is_last) PAWL_EXCLUDES(mutex_);

  const std::shared_ptr<RequestThreads> threads_;
  const Deliver deliver_;
  /// Touched by the thread that works, and by whoever ends the phases in which nobody works.
  std::shared_ptr<BodyStream> stream_;

  runtime::Mutex mutex_;
  Phase phase_ PAWL_GUARDED_BY(mutex_) = Phase::working;
  State last_ PAWL_GUARDED_BY(mutex_) = State::more;
  bool is_woken_ PAWL_GUARDED_BY(mutex_) = false;
  bool has_to_stop_ PAWL_GUARDED_BY(mutex_) = false;
};

}  // namespace pawl::service
