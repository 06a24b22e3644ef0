#pragma once

/// The cookie that keeps a browser signed in.

#include <optional>
#include <string>
#include <string_view>

#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"
#include "service/http/message.hpp"

namespace pawl::service {

/// Its name and its attributes. Pages cannot read it, and other sites cannot make a browser send
/// it.
class SessionCookie {
 public:
  /// `public_url` is the setting; empty: the service is reached under loopback names. Under https
  /// the name begins with `__Host-`, so that no other host can set the cookie. Under http its path
  /// is that of the address, so that other services of the host do not see it.
  explicit SessionCookie(std::string_view public_url = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The value of `Set-Cookie` for a session that ends after this time.
  [[nodiscard]] std::string set(std::string_view secret, Duration lasting) const;
  /// The value of `Set-Cookie` that makes a browser forget it.
  [[nodiscard]] std::string expired() const;
  /// The secret that a request brings, if any. `forbidden` if it brings several.
  [[nodiscard]] Result<std::optional<std::string>> of(const Request& request) const;

 private:
  std::string name_;
  std::string attributes_;
};

}  // namespace pawl::service
