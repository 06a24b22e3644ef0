#include "service/http/connection.hpp"

#include <algorithm>
#include <utility>

#include "service/http/connections.hpp"

namespace pawl::service {
namespace {

using State = RequestReader::State;

/// How long a client may take to close when the server is stopping.
constexpr std::chrono::milliseconds last_drain{200};

/// Whether the handler wants the connection to end.
bool asks_to_close(const Response& response) {
  return is_same_name(response.headers.find("Connection").value_or(""), "close");
}

}  // namespace

Connection::Connection(Connections& all, ConnectionId id, std::shared_ptr<Wire> wire,
                       std::string peer)
    : all_(all), id_(id), wire_(std::move(wire)), peer_(std::move(peer)) {}

void Connection::open() {
  wire_->open(*this);
  read_requests({});
}

void Connection::turn_away() {
  wire_->open(*this);
  refuse({.status = 503, .why = "there are too many connections"});
  adjust_input();
}

void Connection::on_input(std::string_view bytes) {
  switch (stage_) {
    case Stage::reading:
      return read_requests(bytes);
    case Stage::answering:
    case Stage::sending:
    case Stage::streaming:
      pending_ += bytes;
      break;
    case Stage::draining:
      drained_ += bytes.size();
      if (drained_ > all_.limits().drain_max) return close();
      break;
    case Stage::closed:
      break;
  }
  adjust_input();
}

void Connection::on_input_end() {
  // A client that has sent its request and closes its side still waits for the answer.
  if (stage_ == Stage::reading || stage_ == Stage::draining) close();
}

void Connection::take(std::string_view bytes) {
  is_taking_ = true;
  while (stage_ == Stage::reading && !bytes.empty()) {
    if (!reader_) begin_request();
    bytes.remove_prefix(reader_->read(bytes));
    if (reader_->state() == State::deciding) decide_body(!bytes.empty());
    proceed();
  }
  is_taking_ = false;
  if (stage_ != Stage::draining && stage_ != Stage::closed) pending_ += bytes;
}

void Connection::begin_request() {
  reader_.emplace(all_.limits().head_max);
  wire_->set_deadline(SteadyClock::now() + all_.limits().head_timeout);
}

void Connection::decide_body(bool more_has_arrived) {
  const RequestHead& head = reader_->head();
  reader_->allow_body(head.has_body() ? all_.body_max(head.request) : 0);
  body_began_ = SteadyClock::now();
  if (reader_->state() != State::body || !head.expects_continue || more_has_arrived) return;
  wire_->add("HTTP/1.1 100 Continue\r\n\r\n");
  (void)wire_->flush();  // what is left goes out before the response
}

void Connection::proceed() {
  switch (reader_->state()) {
    case State::head:
    case State::deciding:
      break;
    case State::body:
      proceed_with_body();
      break;
    case State::complete:
      answer();
      break;
    case State::refused:
      refuse(reader_->refusal());
      break;
  }
}

void Connection::proceed_with_body() {
  const ServerLimits& limits = all_.limits();
  const std::size_t size = reader_->body_size();
  if (!hold_body(size)) {
    return refuse({.status = 503, .why = "the server has too many requests in memory"});
  }
  const std::size_t rate = std::max<std::size_t>(1, limits.body_bytes_per_second);
  const auto earned = std::chrono::milliseconds(std::size_t{1'000} * size / rate);
  wire_->set_deadline(body_began_ + limits.body_timeout + earned);
}

void Connection::answer() {
  if (!hold_body(reader_->body_size())) {
    return refuse({.status = 503, .why = "the server has too many requests in memory"});
  }
  const RequestHead& head = reader_->head();
  form_ = {.is_http_1_0 = head.is_http_1_0,
           .answers_head = head.request.method == "HEAD",
           .keeps_open = head.keeps_open};
  client_closes_ = !head.keeps_open;
  Request request = reader_->take_request();
  request.peer = peer_;
  reader_.reset();
  stage_ = Stage::answering;
  wire_->clear_deadline();
  if (std::optional<Response> response = all_.answer_at_once(request)) {
    return respond(*std::move(response));
  }
  all_.answer(id_, std::move(request));
}

/// The rest of what the client sends cannot be understood, so the connection ends.
void Connection::refuse(Refusal refusal) {
  Request request = reader_ ? reader_->take_request() : Request();
  request.peer = peer_;
  request.body.clear();
  reader_.reset();
  form_ = {.is_http_1_0 = false, .answers_head = request.method == "HEAD", .keeps_open = false};
  client_closes_ = false;
  wire_->clear_deadline();
  respond(all_.refusal(refusal, request));
}

void Connection::on_answer(Response response) {
  if (stage_ != Stage::answering) return;
  respond(std::move(response));
  adjust_input();
}

void Connection::on_failure(const Request& request) {
  if (stage_ != Stage::answering) return;
  respond(all_.refusal({.status = 500, .why = "an internal error"}, request));
  adjust_input();
}

void Connection::respond(Response response) {
  (void)hold_body(0);
  framing_ = framing_of(response, form_);
  if (framing_ == Framing::close || all_.is_stopping() || asks_to_close(response)) {
    form_.keeps_open = false;
  }
  std::string head = response_head(response, form_, all_.date());
  if (framing_ == Framing::chunked || framing_ == Framing::close) {
    return begin_stream(std::move(response.stream), std::move(head));
  }
  if (response.stream) all_.drop(std::move(response.stream));
  wire_->add(std::move(head));
  if (framing_ == Framing::length) wire_->add(std::move(response.body));
  stage_ = Stage::sending;
  if (wire_->flush()) finish_response();
}

void Connection::begin_stream(std::shared_ptr<BodyStream> stream, std::string head) {
  stage_ = Stage::streaming;
  stream_head_ = std::move(head);
  pump_ = all_.pump(id_, std::move(stream));
  all_.stream_began();
  pump_->start();
}

void Connection::on_piece(BodyStream::Piece piece) {
  if (stage_ != Stage::streaming) return;
  piece_state_ = piece.state;
  if (!stream_head_.empty() && piece.state == BodyStream::State::cut && piece.bytes.empty()) {
    // Nothing was sent yet, so the client can be told plainly.
    stream_head_.clear();
    end_stream();
    Request request;
    request.peer = peer_;
    respond(all_.refusal({.status = 500, .why = "the response could not be made"}, request));
    return adjust_input();
  }
  wire_->add(std::exchange(stream_head_, {}));
  const bool is_chunked = framing_ == Framing::chunked;
  wire_->add(is_chunked ? chunk_of(piece.bytes) : std::move(piece.bytes));
  if (is_chunked && piece.state == BodyStream::State::end) wire_->add(std::string(last_chunk));
  if (wire_->flush()) piece_sent();
}

void Connection::piece_sent() {
  switch (piece_state_) {
    case BodyStream::State::more:
    case BodyStream::State::idle:
      return pump_->go_on();
    case BodyStream::State::end:
      end_stream();
      return finish_response();
    case BodyStream::State::cut:
      // A chunked body without its last chunk is visibly incomplete. Without chunks, only a reset
      // shows it.
      return leave(framing_ == Framing::close);
  }
}

void Connection::end_stream() {
  if (!pump_) return;
  pump_->cancel();
  pump_.reset();
  all_.stream_ended();
}

void Connection::on_sent() {
  if (stage_ == Stage::sending) {
    finish_response();
  } else if (stage_ == Stage::streaming) {
    piece_sent();
  }
}

void Connection::finish_response() {
  if (!form_.keeps_open || all_.is_stopping()) return end();
  stage_ = Stage::reading;
  // A response that was there at once ends inside of `take`, which goes on with the next request.
  if (!is_taking_) read_requests(std::exchange(pending_, {}));
}

void Connection::read_requests(std::string_view bytes) {
  take(bytes);
  if (stage_ == Stage::reading) {
    if (wire_->input_has_ended()) return close();
    if (!reader_) wire_->set_deadline(SteadyClock::now() + all_.limits().idle_timeout);
  }
  adjust_input();
}

/// The last response is sent. To close while the client still sends would reset the connection, and
/// the client might lose the response.
void Connection::end() {
  const bool is_quiet = pending_.empty() && !wire_->has_unread_input();
  if (wire_->input_has_ended() || (is_quiet && (client_closes_ || all_.is_stopping()))) {
    return close();
  }
  drain();
}

void Connection::drain() {
  stage_ = Stage::draining;
  pending_.clear();
  wire_->end_output();
  const auto patience = all_.is_stopping() ? std::min(all_.limits().drain_timeout, last_drain)
                                           : all_.limits().drain_timeout;
  wire_->set_deadline(SteadyClock::now() + patience);
  adjust_input();
}

void Connection::on_deadline() {
  switch (stage_) {
    case Stage::reading:
      if (!reader_) return close();
      refuse({.status = 408,
              .why = reader_->state() == State::head ? "the head did not arrive in time"
                                                     : "the body did not arrive in time"});
      return adjust_input();
    case Stage::draining:
      return close();
    case Stage::answering:
    case Stage::sending:
    case Stage::streaming:
    case Stage::closed:
      break;
  }
}

void Connection::on_broken() { leave(true); }

void Connection::stop() {
  switch (stage_) {
    case Stage::reading:
      if (!reader_ || reader_->state() == State::head) close();
      break;
    case Stage::streaming:
      pump_->stop();
      break;
    case Stage::draining:
      drain();
      break;
    case Stage::answering:
    case Stage::sending:
    case Stage::closed:
      break;
  }
}

void Connection::close() { leave(false); }

void Connection::leave(bool is_broken) {
  if (stage_ == Stage::closed) return;
  stage_ = Stage::closed;
  end_stream();
  (void)hold_body(0);
  if (is_broken) {
    wire_->abort();
  } else {
    wire_->close();
  }
  all_.ended(id_);
}

/// How much may be read now. While a request is answered, what follows it is left in the network,
/// but for what was read together with it and up to one more head.
void Connection::adjust_input() {
  switch (stage_) {
    case Stage::reading:
    case Stage::draining:
      return wire_->want_input(all_.input_max());
    case Stage::answering:
    case Stage::sending:
    case Stage::streaming: {
      const std::size_t bound = all_.limits().head_max;
      return wire_->want_input(bound - std::min(bound, pending_.size()));
    }
    case Stage::closed:
      break;
  }
}

bool Connection::hold_body(std::size_t size) {
  return all_.hold_bodies(std::exchange(held_, size), size);
}

}  // namespace pawl::service
