#pragma once

/// Makes the connections of a store. A server that is away is not dialled again and again by every
/// call: after a failure the next tries are answered with it for a while, which grows up to two
/// seconds.
///
/// Threads: any.

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "postgres/connection.hpp"

namespace pawl::postgres {

class Dialer {
 public:
  Dialer(Address address, Duration answer_within)
      : address_(std::move(address)), answer_within_(answer_within) {}

  [[nodiscard]] std::unique_ptr<Connection> connect(const std::string& name,
                                                    const std::string& set_up);
  [[nodiscard]] const Address& address() const { return address_; }

 private:
  using Steady = std::chrono::steady_clock;
  /// Copies of an exception share their text, here between threads, and by means that the thread
  /// sanitizer does not see; each caller gets one of its own.
  struct Failure {
    DbError::Kind kind;
    std::string state;
    std::string message;
  };

  const Address address_;
  const Duration answer_within_;
  std::mutex mutex_;
  std::optional<Failure> failure_;  ///< guarded by mutex_, as are these
  Steady::time_point not_before_;
  std::chrono::milliseconds pause_{0};
};

}  // namespace pawl::postgres
