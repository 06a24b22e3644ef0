#pragma once

/// One socket of a client. Nothing here blocks: it reads what has arrived, sends what the kernel
/// takes, and reports the rest as events.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/http/sockets.hpp"

namespace pawl::service {

/// What a wire reports. After any of these the receiver may have closed the wire.
class WireEvents {
 public:
  virtual ~WireEvents() = default;
  virtual void on_input(std::string_view bytes) = 0;  ///< valid during the call
  virtual void on_input_end() = 0;  ///< the client sends nothing more, but may still read
  virtual void on_sent() = 0;       ///< all that `flush` left over is with the kernel now
  virtual void on_deadline() = 0;
  virtual void on_broken() = 0;  ///< reset by the client, which may also have read too slowly
};

/// Threads: only the I/O thread. A wire lives until its last operation has ended, even if its owner
/// has let go of it.
class Wire : public std::enable_shared_from_this<Wire> {
 public:
  using TimePoint = SteadyClock::time_point;

  /// `scratch` is where all wires read to, one at a time, so that an idle one needs no buffer.
  Wire(Socket socket, std::span<char> scratch, std::chrono::milliseconds write_timeout);

  /// Begins to report. `events` is valid until `close` or `abort`.
  void open(WireEvents& events);
  [[nodiscard]] bool is_open() const { return events_ != nullptr; }

  /// Reads at most so many bytes at once from now on; 0: none, until this is called again.
  void want_input(std::size_t bytes_max);
  [[nodiscard]] bool input_has_ended() const { return input_has_ended_; }
  /// Whether bytes have arrived that were not read.
  [[nodiscard]] bool has_unread_input();

  void add(std::string bytes);
  /// Whether all that was added is with the kernel: true, or false and `on_sent` or `on_broken`
  /// follows. A client that takes nothing for the write timeout is reported as broken.
  [[nodiscard]] bool flush();

  /// Reports `on_deadline` at this time, unless it is changed before.
  void set_deadline(TimePoint at);
  void clear_deadline() { deadline_.reset(); }

  /// Tells the client that nothing more is sent.
  void end_output();
  void close();
  /// Closes so that the client sees an error, and what it has not yet read may be lost.
  void abort();

 private:
  using Event = void (WireEvents::*)();

  void wait_for_input();
  void wait_for_output();
  void wait_for_reset();
  void read();
  /// False if the socket is broken.
  [[nodiscard]] bool write_some();
  void report(Event event);
  void report_input(std::string_view bytes);
  void break_later();

  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  void arm_timer();
  void on_timer();

  Socket socket_;
  Timer timer_;
  const std::span<char> scratch_;
  const std::chrono::milliseconds write_timeout_;
  WireEvents* events_ = nullptr;

  std::size_t wanted_ = 0;
  bool waits_for_input_ = false;
  bool input_has_ended_ = false;

  std::vector<std::string> output_;
  std::size_t sent_of_first_ = 0;
  bool waits_for_output_ = false;

  std::optional<TimePoint> deadline_;
  std::optional<TimePoint> write_deadline_;
  /// When the timer fires. It is left alone when a deadline moves to later, which nearly all do.
  std::optional<TimePoint> armed_for_;
};

}  // namespace pawl::service
