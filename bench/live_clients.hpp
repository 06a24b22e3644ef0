#pragma once

/// Many clients that follow events of a daemon, in a process of their own: one loop over all their
/// connections.

#include <cstdint>
#include <string>

#include "bench/descriptor.hpp"
#include "pawl/core/ids.hpp"

namespace pawl::bench {

/// What all clients together saw.
struct LiveReport {
  std::int64_t events = 0;
  std::int64_t least = 0;  ///< events of one client
  std::int64_t most = 0;
  std::int64_t complete = 0;    ///< clients that have seen the last event
  std::int64_t disordered = 0;  ///< events that came after a later one, or again
  std::int64_t notices = 0;     ///< that the stream was reset or dropped
  std::int64_t closed = 0;      ///< connections that the daemon ended
  std::int64_t bytes = 0;
  double delay_p50_ms = 0;  ///< from the time of an event to its arrival, of a few clients
  double delay_p95_ms = 0;
  double processor = 0;  ///< seconds that the clients took
};

class LiveClients {
 public:
  /// Connects so many clients that ask for this target. Returns when all of them follow.
  LiveClients(const std::string& address, const std::string& cookie, const std::string& target,
              std::int64_t count);
  LiveClients(const LiveClients&) = delete;
  LiveClients& operator=(const LiveClients&) = delete;
  /// Kills the process if it was not asked to finish.
  ~LiveClients();

  /// Waits until every client has seen this event, or until half a minute has passed, and
  /// disconnects them.
  [[nodiscard]] LiveReport finish(EventSeq last);

 private:
  pid_t process_ = 0;
  Descriptor to_;
  Descriptor from_;
};

/// Ends the program unless all of these clients saw exactly so many events, each once and in order.
void must_be_complete(const LiveReport& report, std::int64_t clients, std::int64_t events);

}  // namespace pawl::bench
