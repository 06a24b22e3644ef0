#include "postgres/server_clock.hpp"

#include <cstdlib>

#include <time.h>

namespace pawl::postgres {

namespace {

/// This clock also runs while the machine sleeps.
Duration::rep since_start() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return Duration::rep{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000;
}

}  // namespace

Timestamp ServerClock::now() const { return Timestamp{Duration{since_start() + ahead_.load()}}; }

void ServerClock::read(Connection& connection, int questions) {
  Duration::rep quickest = INT64_MAX;
  Duration::rep ahead = 0;
  for (int i = 0; i < questions; ++i) {
    const Duration::rep asked = since_start();
    const Reply answer = connection.ask(select_server_time);
    const Duration::rep took = since_start() - asked;
    if (took >= quickest) continue;
    quickest = took;
    ahead = answer.integer(0, 0) - (asked + took / 2);
  }
  // A difference within the round trip is ignored, so that time does not jump back a little with
  // every reading.
  if (std::abs(ahead - ahead_.load()) > quickest) ahead_ = ahead;
}

}  // namespace pawl::postgres
