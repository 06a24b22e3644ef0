#pragma once

/// All open connections, and what they share: the handler, the request threads, the limits.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/mutex.hpp"
#include "service/http/admission.hpp"
#include "service/http/connection.hpp"
#include "service/http/message.hpp"
#include "service/http/request_threads.hpp"
#include "service/http/server.hpp"
#include "service/http/sockets.hpp"
#include "service/http/stream_pump.hpp"

namespace pawl::service {

/// Threads: only the I/O thread, except where it is said.
class Connections {
 public:
  /// Everything given must outlive it. `threads` is shared with those who wake streams.
  Connections(IoContext& io, Handler& handler, const ServerLimits& limits, Exemption is_exempt,
              std::shared_ptr<RequestThreads> threads);
  ~Connections();

  /// A client has connected.
  void add(Socket socket, const std::string& peer);
  /// Ends what can end now; the rest ends when it has been answered.
  void stop();
  void close_all();
  /// After `stop`: waits until no connection is left, or until then. Called from other threads.
  void wait_until_empty(SteadyClock::time_point until) PAWL_EXCLUDES(mutex_);

  /// Called from any thread.
  [[nodiscard]] ServerFigures figures() const;

  // For a connection.
  [[nodiscard]] const ServerLimits& limits() const { return limits_; }
  [[nodiscard]] bool is_stopping() const { return is_stopping_; }
  /// How many bytes are read at once.
  [[nodiscard]] std::size_t input_max() const { return scratch_.size(); }
  /// The value of the Date field.
  [[nodiscard]] std::string_view date();
  [[nodiscard]] std::size_t body_max(const Request& head) const;
  [[nodiscard]] Response refusal(const Refusal& refusal, const Request& request);
  [[nodiscard]] std::optional<Response> answer_at_once(const Request& request);
  /// Gives the request to a request thread; `on_answer` or `on_failure` follows.
  void answer(ConnectionId id, Request request);
  /// `on_piece` follows for each piece after its start.
  [[nodiscard]] std::shared_ptr<StreamPump> pump(ConnectionId id,
                                                 std::shared_ptr<BodyStream> stream);
  /// Lets go of a stream that nobody wants, on a request thread.
  void drop(std::shared_ptr<BodyStream> stream);
  /// Counts the bytes of bodies in memory. False if there are too many now.
  [[nodiscard]] bool hold_bodies(std::size_t before, std::size_t now);
  void stream_began() { ++streams_; }
  void stream_ended() { --streams_; }
  void ended(ConnectionId id);

 private:
  struct Entry {
    std::unique_ptr<Connection> connection;
    std::optional<std::string> place;  ///< where it is counted; none: it was turned away
  };

  void turn_away(Socket socket, const std::string& peer);
  Connection& insert(Socket socket, const std::string& peer, std::optional<std::string> place);
  /// Calls a function with the connection; false if it is gone.
  template <class Call>
  bool with(ConnectionId id, const Call& call);
  template <class Call>
  void with_each(const Call& call);
  void note_if_empty() PAWL_EXCLUDES(mutex_);

  IoContext& io_;
  Handler& handler_;
  const ServerLimits& limits_;
  const std::shared_ptr<RequestThreads> threads_;

  std::array<char, std::size_t{64} << 10U> scratch_{};
  Admission admission_;
  std::unordered_map<ConnectionId, Entry> open_;
  ConnectionId last_id_ = 0;
  bool is_stopping_ = false;
  std::size_t bodies_ = 0;
  std::string date_;
  std::chrono::sys_seconds date_at_{};

  std::atomic<std::int64_t> connections_ = 0;
  std::atomic<std::int64_t> streams_ = 0;
  std::atomic<std::int64_t> accepted_ = 0;
  std::atomic<std::int64_t> refused_ = 0;

  runtime::Mutex mutex_;
  runtime::Condition emptied_;
  bool is_empty_ PAWL_GUARDED_BY(mutex_) = false;  ///< and stopping
};

}  // namespace pawl::service
