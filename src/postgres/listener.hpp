#pragma once

/// Notices commits of other processes without constant queries: a thread LISTENs, and also checks
/// the counter of the log now and then in case a notification was lost.
///
/// It also notifies other processes. NOTIFY takes a lock of the whole server at commit, so it is
/// sent outside the batches and at most every 20 ms.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "postgres/dialer.hpp"
#include "postgres/server_clock.hpp"

namespace pawl::postgres {

class Listener {
 public:
  /// Both must outlive this object. The clock is read again with each check.
  Listener(Dialer& dialer, Duration look_every, ServerClock& clock);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Changes whenever another process has committed. The first call starts listening.
  [[nodiscard]] std::uint64_t mark();
  /// Notifies others that we have committed something they may wait for. Returns false if the
  /// listener has not started, so that nothing was sent.
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

/// Notifies the listeners of the channel `$1`.
inline constexpr char notify_channel[] = "SELECT pg_notify($1, '')";
/// The channel of a schema.
[[nodiscard]] std::string channel_of(const Address& address);

}  // namespace pawl::postgres
