#include "service/access/service_gate.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/digest.hpp"
#include "pawl/store/people.hpp"
#include "service/access/forwarded.hpp"
#include "service/access/token_check.hpp"

namespace pawl::service {
namespace {

constexpr std::string_view token_prefix = "pawl_";

std::unexpected<Error> forbidden(std::string message, std::string help = {}) {
  return fail(ErrorCode::forbidden, std::move(message), std::move(help));
}

/// The text after "Bearer"; none for no credentials, or for those of another scheme.
Result<std::optional<std::string_view>> bearer_of(const Request& request) {
  const std::size_t count = request.headers.count("Authorization");
  if (count > 1) return forbidden("the request has several Authorization fields", "send one");
  if (count == 0) return std::nullopt;
  constexpr std::string_view scheme = "Bearer ";
  std::string_view value = *request.headers.find("Authorization");
  if (!is_same_name(value.substr(0, scheme.size()), scheme)) return std::nullopt;
  value.remove_prefix(scheme.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

}  // namespace

ServiceGate::ServiceGate(Store& store, SignIn& sign_in, const Settings& settings,
                         std::string local_user)
    : store_(store),
      sign_in_(sign_in),
      site_(parse_web_address(settings.public_url)),
      rule_(settings.sign_in),
      proxy_(settings.proxy),
      local_user_(std::move(local_user)) {}

Status ServiceGate::check_host(const Request& request) const {
  const std::string help = "use 127.0.0.1, or set public_url in .pawl/serve.yaml";
  if (request.headers.count("Host") != 1) {
    return forbidden("the request must name exactly one host", help);
  }
  const std::optional<HostPort> named = parse_host_port(*request.headers.find("Host"));
  if (!named) return forbidden("the request does not name a host", help);
  if (is_loopback_host(named->host) || (site_ && named->host == site_->host)) return {};
  return forbidden("this service is not at '" + named->host + "'", help);
}

Result<std::optional<Caller>> ServiceGate::identify(const Request& request) {
  const Result<std::optional<std::string_view>> bearer = bearer_of(request);
  if (!bearer) return std::unexpected(bearer.error());
  if (*bearer && (*bearer)->starts_with(token_prefix)) return with_token(**bearer, request);
  Result<std::optional<std::string>> proxied = proxied_name(request);
  if (!proxied) return std::unexpected(proxied.error());
  if (*proxied) {
    return known({.actor = {.name = **std::move(proxied),
                            .method = ActorMethod::proxy,
                            .address = address_of(request)},
                  .standing = {},
                  .by = "proxy"});
  }
  // A proxy may pass on tokens of its own, but one that nobody understands signs nobody in.
  if (*bearer) return forbidden("the token is not one of pawl", "its tokens begin with pawl_");
  if (rule_ == SignInRule::none) return as_local_user(request);
  const Result<std::optional<std::string>> cookie = sign_in_.cookie().of(request);
  if (!cookie) return std::unexpected(cookie.error());
  if (!*cookie) return std::nullopt;
  return with_session(**cookie, request);
}

Result<Caller> ServiceGate::with_token(std::string_view secret, const Request& request) {
  Result<TokenRecord> token = check_token(store_, secret);
  if (!token) return std::unexpected(token.error());
  return known({.actor = {.name = std::move(token->name),
                          .kind = token->kind,
                          .method = ActorMethod::token,
                          .address = address_of(request),
                          .at_most = token->role},
                .standing = {},
                .by = "token"});
}

Result<Caller> ServiceGate::with_session(const std::string& secret, const Request& request) {
  std::string digest = sha256_hex(secret);
  Result<Session> session = sign_in_.session(digest);
  if (!session) return std::unexpected(session.error());
  session->actor.address = address_of(request);
  return known({.actor = std::move(session->actor),
                .standing = {},
                .by = "session",
                .session = std::move(digest)});
}

Result<Caller> ServiceGate::as_local_user(const Request& request) {
  if (!is_loopback(request.peer) || is_forwarded(request)) {
    return forbidden("this service has no sign-in, so it is for programs on its own machine alone",
                     "set `sign_in: required` in .pawl/serve.yaml to use it over a network");
  }
  return known({.actor = {.name = local_user_, .address = address_of(request)},
                .standing = {},
                .by = "nobody"});
}

/// With what the store knows about the actor.
Result<Caller> ServiceGate::known(Caller caller) {
  Result<Standing> standing = store_.people().standing(caller.actor);
  if (!standing) return std::unexpected(standing.error());
  caller.standing = *std::move(standing);
  return caller;
}

/// The person that a trusted proxy names; none if it names nobody.
Result<std::optional<std::string>> ServiceGate::proxied_name(const Request& request) const {
  if (proxy_.user_header.empty() || !is_trusted(request.peer)) return std::nullopt;
  const std::size_t count = request.headers.count(proxy_.user_header);
  if (count > 1) {
    return forbidden("the proxy names several people",
                     "make it replace the field " + proxy_.user_header);
  }
  if (count == 0) return std::nullopt;
  const std::string_view name = *request.headers.find(proxy_.user_header);
  if (name.empty()) return std::nullopt;
  // The message of `check_name` repeats the name, which may be anything.
  if (!check_name("person", name)) {
    return forbidden("the proxy names somebody who cannot be a person of this store",
                     "names are 1 to 64 of the letters A-Z and a-z, digits, '.', '-', '_' and '@'");
  }
  return std::string(name);
}

Status ServiceGate::check_origin(const Request& request, const Caller* caller) const {
  const Result<std::optional<std::string>> cookie = sign_in_.cookie().of(request);
  const bool has_cookie = !cookie || *cookie;
  if (caller != nullptr && caller->by == "token" && !has_cookie) return {};
  const std::string help = "send it from a page of this service, or use a token without a cookie";
  const std::size_t sites = request.headers.count("Sec-Fetch-Site");
  if (sites > 0) {
    if (sites == 1 && *request.headers.find("Sec-Fetch-Site") == "same-origin") return {};
    return forbidden("the request does not come from a page of this service", help);
  }
  const std::size_t origins = request.headers.count("Origin");
  if (origins > 0) {
    if (origins == 1 && is_own_origin(*request.headers.find("Origin"), request)) return {};
    return forbidden("the request comes from a page of another site", help);
  }
  const bool is_by_browser =
      caller != nullptr && (caller->by == "session" || caller->by == "proxy");
  if (!has_cookie && !is_by_browser) return {};
  return forbidden("the request does not say which page it comes from", help);
}

bool ServiceGate::is_own_origin(std::string_view origin, const Request& request) const {
  const std::optional<WebAddress> from = parse_web_address(origin);
  if (!from || origin.ends_with('/') || !from->prefix.empty()) return false;
  if (site_ && from->has_origin_of(*site_)) return true;
  // Under a loopback name: exactly the host and port that the request was sent to, because other
  // programs of this machine have other ports.
  if (!is_loopback_host(from->host)) return false;
  const std::optional<HostPort> to = parse_host_port(request.headers.find("Host").value_or(""));
  if (!to || to->host != from->host) return false;
  const std::uint16_t usual_port = from->is_https ? 443 : 80;
  return to->port.value_or(usual_port) == from->port;
}

std::string ServiceGate::address_of(const Request& request) const {
  std::string address = usual_address(request.peer).value_or(request.peer);
  if (!is_trusted(address)) return address;
  // Each proxy adds the address that it was called from. What stands before an address that is not
  // trusted, or cannot be read, may be invented.
  const std::vector<std::string> hops = forwarded_addresses(request);
  for (auto hop = hops.rbegin(); hop != hops.rend() && !hop->empty(); ++hop) {
    address = *hop;
    if (!is_trusted(address)) break;
  }
  return address;
}

bool ServiceGate::is_trusted(std::string_view address) const {
  return std::ranges::any_of(proxy_.trusted,
                             [&](const AddressRange& range) { return range.contains(address); });
}

}  // namespace pawl::service
