#pragma once

/// Streams whose pieces a test makes, on the real server.

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "http_test.hpp"

namespace pawl::service {

/// What a test sees of a stream, also when the server has let go of it.
class StreamProbe {
 public:
  /// The stream has one more piece, and wakes the server.
  void push(std::string bytes) {
    add(std::move(bytes));
    wake();
  }
  /// Without waking.
  void add(std::string bytes) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back({.state = BodyStream::State::more, .bytes = std::move(bytes)});
  }
  void end(BodyStream::State state = BodyStream::State::end, std::string bytes = {}) {
    {
      const std::lock_guard lock(mutex_);
      pieces_.push_back({.state = state, .bytes = std::move(bytes)});
    }
    wake();
  }
  void wake() {
    std::function<void()> waker;
    {
      const std::lock_guard lock(mutex_);
      waker = waker_;
    }
    if (waker) waker();
  }
  [[nodiscard]] std::function<void()> waker() {
    const std::lock_guard lock(mutex_);
    return waker_;
  }

  std::function<void()> during_next = [] {};  ///< set before the stream begins
  bool ends_on_stop = true;
  std::atomic<int> nexts = 0;
  std::atomic<int> stops = 0;
  std::atomic<int> at_once = 0;
  std::atomic<bool> overlapped = false;
  Signal gone;

 private:
  friend class ProbedStream;
  std::mutex mutex_;
  std::deque<BodyStream::Piece> pieces_;
  std::function<void()> waker_;
};

class ProbedStream : public BodyStream {
 public:
  explicit ProbedStream(std::shared_ptr<StreamProbe> probe) : probe_(std::move(probe)) {}
  ~ProbedStream() override { probe_->gone.set(); }
  ProbedStream(const ProbedStream&) = delete;
  ProbedStream& operator=(const ProbedStream&) = delete;

  BodyStream::Piece next() override {
    if (++probe_->at_once > 1) probe_->overlapped = true;
    ++probe_->nexts;
    BodyStream::Piece piece{.state = BodyStream::State::idle, .bytes = {}};
    {
      const std::lock_guard lock(probe_->mutex_);
      if (!probe_->pieces_.empty()) {
        piece = std::move(probe_->pieces_.front());
        probe_->pieces_.pop_front();
        if (piece.state == BodyStream::State::more && probe_->pieces_.empty())
          piece.state = BodyStream::State::idle;
      }
    }
    probe_->during_next();
    --probe_->at_once;
    return piece;
  }
  void on_wake(std::function<void()> wake) override {
    const std::lock_guard lock(probe_->mutex_);
    probe_->waker_ = std::move(wake);
  }
  void stop() override {
    if (++probe_->at_once > 1) probe_->overlapped = true;
    ++probe_->stops;
    --probe_->at_once;
    if (probe_->ends_on_stop) probe_->end(BodyStream::State::end, "bye");
  }

 private:
  const std::shared_ptr<StreamProbe> probe_;
};

/// Makes pieces of one size for ever.
class EndlessStream : public BodyStream {
 public:
  EndlessStream(std::size_t size, std::shared_ptr<std::atomic<std::size_t>> made)
      : size_(size), made_(std::move(made)) {}
  BodyStream::Piece next() override {
    *made_ += size_;
    return {.state = BodyStream::State::more, .bytes = std::string(size_, 'x')};
  }

 private:
  const std::size_t size_;
  const std::shared_ptr<std::atomic<std::size_t>> made_;
};

class HttpStreams : public HttpTest {
 protected:
  HttpStreams() {
    handler_.on_request = [this](const Request& request) {
      if (request.target != "/stream") return ScriptedHandler::text(request.target);
      Response response;
      response.headers.add("Content-Type", "text/event-stream");
      response.stream = std::make_shared<ProbedStream>(take_probe());
      return response;
    };
  }

  /// The probe of the next stream that is asked for.
  std::shared_ptr<StreamProbe> prepare() {
    const std::lock_guard lock(mutex_);
    return prepared_.emplace_back(std::make_shared<StreamProbe>());
  }
  [[nodiscard]] RawClient open_stream() {
    RawClient client = connect();
    client.send(stream);
    return client;
  }
  [[nodiscard]] bool has_streams(std::int64_t count) const {
    return eventually([&] { return server_->figures().streams == count; });
  }

  static constexpr std::string_view stream = "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n";

 private:
  std::shared_ptr<StreamProbe> take_probe() {
    const std::lock_guard lock(mutex_);
    auto probe = prepared_.front();
    prepared_.pop_front();
    return probe;
  }
  std::mutex mutex_;
  std::deque<std::shared_ptr<StreamProbe>> prepared_;
};

}  // namespace pawl::service
