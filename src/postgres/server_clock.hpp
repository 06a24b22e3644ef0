#pragma once

/// The server's clock, extrapolated between readings with the machine's own clock: the machines of
/// a cluster need not agree on the time, only on how fast it passes.

#include <atomic>

#include "pawl/store/clock.hpp"
#include "postgres/connection.hpp"

namespace pawl::postgres {

/// In microseconds since 1970.
inline constexpr char select_server_time[] =
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

class ServerClock final : public Clock {
 public:
  [[nodiscard]] Timestamp now() const override;

  /// Asks the server. The error of a reading is at most half of its round-trip time, so the
  /// quickest of a few readings is used.
  void read(Connection& connection, int questions = 3);

 private:
  std::atomic<Duration::rep> ahead_ = 0;  ///< relative to the time since this machine started
};

}  // namespace pawl::postgres
