#pragma once

/// The server's clock, carried on between the answers by the machine's own: the machines of a
/// cluster need not agree on the time, only on how fast it passes.

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

  /// Asks the server. A moment is known to within half of what the answer took, so the quickest of
  /// a few answers is believed.
  void read(Connection& connection, int questions = 3);

 private:
  std::atomic<Duration::rep> ahead_ = 0;  ///< of the machine's time since it was started
};

}  // namespace pawl::postgres
