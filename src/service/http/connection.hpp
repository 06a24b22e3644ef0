#pragma once

/// One connection of a client: requests in, responses out, one after another.
///
///   reading --> answering --> sending or streaming --> reading ...
///      |                             |
///      +--- refused: sending --------+--> draining --> closed
///
/// Threads: only the I/O thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/message.hpp"
#include "service/http/request_reader.hpp"
#include "service/http/response_head.hpp"
#include "service/http/stream_pump.hpp"
#include "service/http/wire.hpp"

namespace pawl::service {

class Connections;

using ConnectionId = std::uint64_t;

class Connection final : public WireEvents {
 public:
  /// `all` outlives it. When it has closed itself it tells `all`, which deletes it later.
  Connection(Connections& all, ConnectionId id, std::shared_ptr<Wire> wire, std::string peer);

  /// Begins to read requests.
  void open();
  /// Answers that there are too many connections, whatever the client sends, and closes.
  void turn_away();

  void on_answer(Response response);
  /// The handler threw instead of answering this request.
  void on_failure(const Request& request);
  void on_piece(BodyStream::Piece piece);

  /// The server is stopping: a request that has arrived is still answered.
  void stop();
  void close();

  void on_input(std::string_view bytes) override;
  void on_input_end() override;
  void on_sent() override;
  void on_deadline() override;
  void on_broken() override;

 private:
  enum class Stage : std::uint8_t {
    reading,    ///< a request; without a reader, nothing of the next one has arrived
    answering,  ///< a request thread has the request
    sending,    ///< a response without a stream
    streaming,  ///< a response with one
    draining,   ///< the last response is sent, and the client should stop sending and close
    closed,
  };

  void take(std::string_view bytes);
  void begin_request();
  void decide_body(bool more_has_arrived);
  void proceed();
  void proceed_with_body();
  void answer();
  void refuse(Refusal refusal);

  void respond(Response response);
  void begin_stream(std::shared_ptr<BodyStream> stream, std::string head);
  void piece_sent();
  void end_stream();
  void finish_response();
  /// Reads and answers requests until one has to wait.
  void read_requests(std::string_view bytes);
  void end();
  void drain();

  void adjust_input();
  /// Counts the body in memory. False if there are too many.
  [[nodiscard]] bool hold_body(std::size_t size);
  void leave(bool is_broken);

  Connections& all_;
  const ConnectionId id_;
  const std::shared_ptr<Wire> wire_;
  const std::string peer_;

  Stage stage_ = Stage::reading;
  std::optional<RequestReader> reader_;
  bool is_taking_ = false;  ///< `take` is on the stack
  SteadyClock::time_point body_began_;
  std::size_t held_ = 0;  ///< of the bodies of all connections, in bytes
  std::string pending_;   ///< what the client has sent after the request that is answered

  ResponseForm form_;           ///< of the response to the request that is answered
  bool client_closes_ = false;  ///< it has said that this is its last request
  Framing framing_ = Framing::none;
  std::shared_ptr<StreamPump> pump_;
  std::string stream_head_;  ///< until the first piece is there
  BodyStream::State piece_state_ = BodyStream::State::more;
  std::size_t drained_ = 0;
};

}  // namespace pawl::service
