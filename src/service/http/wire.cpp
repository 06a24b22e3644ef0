#include "service/http/wire.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <poll.h>

namespace pawl::service {
namespace {

namespace asio = boost::asio;

/// Parts of a response that are sent with one call.
constexpr std::size_t parts_max = 8;

bool would_block(const IoError& error) {
  return error == asio::error::would_block || error == asio::error::try_again;
}

}  // namespace

Wire::Wire(Socket socket, std::span<char> scratch, std::chrono::milliseconds write_timeout)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      scratch_(scratch),
      write_timeout_(write_timeout) {}

void Wire::open(WireEvents& events) {
  events_ = &events;
  IoError error;
  (void)socket_.non_blocking(true, error);
  if (error) return break_later();
  wait_for_reset();
}

void Wire::want_input(std::size_t bytes_max) {
  wanted_ = bytes_max;
  if (wanted_ > 0) wait_for_input();
}

bool Wire::has_unread_input() {
  IoError error;
  return socket_.available(error) > 0;
}

void Wire::wait_for_input() {
  if (!is_open() || waits_for_input_ || input_has_ended_) return;
  waits_for_input_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const IoError& /*error*/) {
    self->waits_for_input_ = false;
    if (self->is_open()) self->read();
  });
}

void Wire::read() {
  if (wanted_ == 0) return;
  IoError error;
  const std::size_t size = std::min(wanted_, scratch_.size());
  const std::size_t count = socket_.read_some(asio::buffer(scratch_.data(), size), error);
  if (error == asio::error::eof) {
    input_has_ended_ = true;
    return report(&WireEvents::on_input_end);
  }
  if (error && !would_block(error)) return report(&WireEvents::on_broken);
  if (count > 0) report_input({scratch_.data(), count});
  if (wanted_ > 0) wait_for_input();
}

void Wire::wait_for_reset() {
  socket_.async_wait(Socket::wait_error, [self = shared_from_this()](const IoError& /*error*/) {
    if (!self->is_open()) return;
    // Urgent data, or that both sides have ended their output, ends this wait too. Such a client is
    // no longer watched: the next read or write notices its reset.
    pollfd place{.fd = self->socket_.native_handle(), .events = 0, .revents = 0};
    if (::poll(&place, 1, 0) == 1 && (place.revents & POLLERR) != 0) {
      self->report(&WireEvents::on_broken);
    }
  });
}

void Wire::add(std::string bytes) {
  if (!bytes.empty()) output_.push_back(std::move(bytes));
}

bool Wire::flush() {
  if (waits_for_output_ || !is_open()) return false;
  if (output_.empty()) return true;
  if (!write_some()) {
    break_later();
    return false;
  }
  if (output_.empty()) return true;
  write_deadline_ = SteadyClock::now() + write_timeout_;
  arm_timer();
  wait_for_output();
  return false;
}

bool Wire::write_some() {
  while (!output_.empty()) {
    std::array<asio::const_buffer, parts_max> parts;
    const std::size_t count = std::min(parts.size(), output_.size());
    for (std::size_t i = 0; i < count; ++i) parts.at(i) = asio::buffer(output_[i]);
    parts.front() += sent_of_first_;
    IoError error;
    std::size_t sent = socket_.write_some(std::span(parts.data(), count), error);
    if (error) return would_block(error);
    sent += sent_of_first_;
    std::size_t complete = 0;
    while (complete < count && sent >= output_[complete].size()) sent -= output_[complete++].size();
    output_.erase(output_.begin(), output_.begin() + static_cast<std::ptrdiff_t>(complete));
    sent_of_first_ = sent;
    write_deadline_ = SteadyClock::now() + write_timeout_;
  }
  output_.shrink_to_fit();
  write_deadline_.reset();
  return true;
}

void Wire::wait_for_output() {
  waits_for_output_ = true;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](const IoError& /*error*/) {
    self->waits_for_output_ = false;
    if (!self->is_open()) return;
    if (!self->write_some()) return self->report(&WireEvents::on_broken);
    if (!self->output_.empty()) return self->wait_for_output();
    self->report(&WireEvents::on_sent);
  });
}

/// Reports after the caller has returned, since the caller may be the receiver of the events.
void Wire::break_later() {
  asio::post(socket_.get_executor(),
             [self = shared_from_this()] { self->report(&WireEvents::on_broken); });
}

void Wire::report(Event event) {
  if (!is_open()) return;
  try {
    (events_->*event)();
  } catch (...) {
    // Out of memory: what this connection has to do next is not known.
    if (is_open()) events_->on_broken();
  }
}

void Wire::report_input(std::string_view bytes) {
  try {
    events_->on_input(bytes);
  } catch (...) {
    if (is_open()) events_->on_broken();
  }
}

void Wire::set_deadline(TimePoint at) {
  deadline_ = at;
  arm_timer();
}

std::optional<Wire::TimePoint> Wire::next_deadline() const {
  if (!deadline_ || !write_deadline_) return deadline_ ? deadline_ : write_deadline_;
  return std::min(*deadline_, *write_deadline_);
}

void Wire::arm_timer() {
  const auto next = next_deadline();
  if (!is_open() || !next || (armed_for_ && *armed_for_ <= *next)) return;
  armed_for_ = next;
  timer_.expires_at(*next);
  timer_.async_wait([self = shared_from_this()](const IoError& error) {
    if (!error) self->on_timer();
  });
}

void Wire::on_timer() {
  armed_for_.reset();
  const TimePoint now = SteadyClock::now();
  if (write_deadline_ && *write_deadline_ <= now) return report(&WireEvents::on_broken);
  if (deadline_ && *deadline_ <= now) {
    deadline_.reset();
    report(&WireEvents::on_deadline);
  }
  arm_timer();
}

void Wire::end_output() {
  IoError error;
  (void)socket_.shutdown(Socket::shutdown_send, error);
}

void Wire::close() {
  events_ = nullptr;
  timer_.cancel();
  IoError error;
  (void)socket_.close(error);
}

void Wire::abort() {
  IoError error;
  (void)socket_.set_option(boost::asio::socket_base::linger(true, 0), error);
  close();
}

}  // namespace pawl::service
