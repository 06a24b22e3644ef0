#pragma once

/// Opens the connections of a store. Not every call dials an unreachable server again: after a
/// failure, calls get the same error for a while, which grows up to two seconds.
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
  /// Copies of an exception share their text between threads in a way that the thread sanitizer
  /// does not see, so each caller gets its own exception.
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
