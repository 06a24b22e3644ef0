#pragma once

/// Who else commits, without asking the server all the time: a thread that LISTENs, and looks at
/// the log's counter now and then in case a notification was lost.
///
/// It also tells the others. NOTIFY takes a lock of the whole server at its commit, so it is sent
/// outside of the batches, and at most every 20 ms however many there are.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "postgres/dialer.hpp"
#include "postgres/server_clock.hpp"

namespace pawl::postgres {

class Listener {
 public:
  /// Both must outlive it. The clock is read again with each look.
  Listener(Dialer& dialer, Duration look_every, ServerClock& clock);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Changes whenever somebody else has committed. Begins to listen with the first call.
  [[nodiscard]] std::uint64_t mark();
  /// We have committed something that others may wait for. False: it does not listen yet, so
  /// nobody was told.
  bool tell();

 private:
  void run(const std::stop_token& stop);
  void listen(const std::stop_token& stop);
  void look(Connection& connection);
  bool take_notifications(Connection& connection);
  void wait(int socket, Duration at_most);

  Dialer& dialer_;
  Duration look_every_;
  ServerClock& clock_;
  std::string channel_;
  int wake_;  ///< an eventfd
  std::atomic<std::uint64_t> mark_ = 0;
  std::atomic<bool> has_news_ = false;
  std::int64_t seen_row_ = -1;
  std::mutex mutex_;
  std::jthread thread_;  ///< started under mutex_
  std::atomic<bool> is_running_ = false;
};

/// Tells who listens to the channel `$1`.
inline constexpr char notify_channel[] = "SELECT pg_notify($1, '')";
/// The channel of a schema.
[[nodiscard]] std::string channel_of(const Address& address);

}  // namespace pawl::postgres
