#pragma once

/// How many connections are open, in all and for each address.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "service/http/server.hpp"

namespace pawl::service {

class Admission {
 public:
  Admission(const ServerLimits& limits, Exemption is_exempt);

  /// Counts a connection, unless it is one too many: then none. `leave` wants what this returns.
  [[nodiscard]] std::optional<std::string> admit(const std::string& address);
  /// A connection that was counted has ended.
  void leave(const std::string& place);
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  const std::size_t max_;
  const std::size_t per_address_max_;
  const bool loopback_is_exempt_;
  const Exemption is_exempt_;
  std::size_t count_ = 0;
  std::unordered_map<std::string, std::size_t> by_place_;  ///< not of exempt ones
};

/// `invalid` if a server with these limits could not work.
[[nodiscard]] Status check_limits(const ServerLimits& limits);

}  // namespace pawl::service
