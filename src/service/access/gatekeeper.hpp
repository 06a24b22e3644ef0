#pragma once

/// Who is calling, and whether the request may be answered at all.
///
/// Threads: every function may be called from any thread at the same time.

#include <optional>
#include <string>
#include <string_view>

#include "pawl/core/actor.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/core/result.hpp"
#include "service/http/message.hpp"

namespace pawl::service {

/// A signed-in person, agent or worker.
struct Caller {
  Actor actor;
  Standing standing;
  std::string_view by;       ///< "token", "session", "proxy" or "nobody" (`sign_in: none`)
  std::string session = {};  ///< the digest of the cookie; empty: not signed in with one
};

class Gatekeeper {
 public:
  virtual ~Gatekeeper() = default;

  /// `forbidden` if the request was sent to a host name that is not this service's, so that a page
  /// of another site cannot reach it under its own name.
  [[nodiscard]] virtual Status check_host(const Request& request) const = 0;
  /// None if the request brings no credentials. `forbidden` for credentials that are wrong, expired
  /// or revoked.
  [[nodiscard]] virtual Result<std::optional<Caller>> identify(const Request& request) = 0;
  /// Whether an unsafe request comes from a page of this service or from a program. `forbidden`
  /// otherwise. `caller` is null if nobody is signed in.
  [[nodiscard]] virtual Status check_origin(const Request& request, const Caller* caller) const = 0;
  /// The address of the client: the peer, or what a trusted proxy says.
  [[nodiscard]] virtual std::string address_of(const Request& request) const = 0;
};

}  // namespace pawl::service
