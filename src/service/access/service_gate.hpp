#pragma once

/// The gatekeeper of `pawl serve`: tokens, sessions, trusted proxies, and the checks that keep
/// pages of other sites out.

#include <optional>
#include <string>
#include <string_view>

#include "service/access/gatekeeper.hpp"
#include "service/access/sign_in.hpp"
#include "service/access/web_address.hpp"
#include "service/settings.hpp"

namespace pawl::service {

class ServiceGate : public Gatekeeper {
 public:
  /// The store and `sign_in` must outlive it. `local_user`: who everybody is with `sign_in: none`.
  ServiceGate(Store& store, SignIn& sign_in, const Settings& settings, std::string local_user);

  /// The one Host field must be the host of `public_url` or a loopback name, with any port.
  [[nodiscard]] Status check_host(const Request& request) const override;
  /// A bearer token counts before what a trusted proxy says, and that before a cookie.
  [[nodiscard]] Result<std::optional<Caller>> identify(const Request& request) override;
  /// `Sec-Fetch-Site` must be "same-origin"; without it, `Origin` must be a site of this service. A
  /// request with neither comes from a program: it may bring a token, but nothing that a browser
  /// adds by itself. A request with a token and without a cookie may come from anywhere.
  [[nodiscard]] Status check_origin(const Request& request, const Caller* caller) const override;
  /// The last address in `X-Forwarded-For`, or else in `Forwarded`, that is not a trusted proxy's,
  /// if the peer is one.
  [[nodiscard]] std::string address_of(const Request& request) const override;

 private:
  [[nodiscard]] bool is_trusted(std::string_view address) const;
  [[nodiscard]] bool is_own_origin(std::string_view origin, const Request& request) const;
  [[nodiscard]] Result<std::optional<std::string>> proxied_name(const Request& request) const;
  [[nodiscard]] Result<Caller> with_token(std::string_view secret, const Request& request);
  [[nodiscard]] Result<Caller> with_session(const std::string& secret, const Request& request);
  [[nodiscard]] Result<Caller> as_local_user(const Request& request);
  [[nodiscard]] Result<Caller> known(Caller caller);

  Store& store_;
  SignIn& sign_in_;
  const std::optional<WebAddress> site_;
  const SignInRule rule_;
  const ProxySettings proxy_;
  const std::string local_user_;
};

}  // namespace pawl::service
