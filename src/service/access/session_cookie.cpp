#include "service/access/session_cookie.hpp"

#include <algorithm>
#include <chrono>

#include "service/access/web_address.hpp"

namespace pawl::service {
namespace {

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

SessionCookie::SessionCookie(std::string_view public_url) {
  const std::optional<WebAddress> site = parse_web_address(public_url);
  const bool is_https = site && site->is_https;
  const std::string path = site && !is_https && !site->prefix.empty() ? site->prefix : "/";
  name_ = is_https ? "__Host-pawl_session" : "pawl_session";
  attributes_ = "; Path=" + path + "; HttpOnly; SameSite=Strict" + (is_https ? "; Secure" : "");
}

std::string SessionCookie::set(std::string_view secret, Duration lasting) const {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(lasting).count();
  return name_ + "=" + std::string(secret) + attributes_ +
         "; Max-Age=" + std::to_string(std::max<std::int64_t>(seconds, 0));
}

std::string SessionCookie::expired() const { return name_ + "=" + attributes_ + "; Max-Age=0"; }

Result<std::optional<std::string>> SessionCookie::of(const Request& request) const {
  std::optional<std::string> found;
  for (const auto& [field, value] : request.headers.all()) {
    if (!is_same_name(field, "Cookie")) continue;
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find(';', begin), value.size());
      const std::string_view pair =
          without_spaces(std::string_view(value).substr(begin, end - begin));
      begin = end + 1;
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos || pair.substr(0, equals) != name_) continue;
      const std::string_view secret = pair.substr(equals + 1);
      if (secret.empty()) continue;
      // Another host of the same domain can set a second cookie, and nobody could tell which is
      // ours.
      if (found && *found != secret) {
        return fail(ErrorCode::forbidden, "the request has several session cookies",
                    "delete the cookies of this site, and sign in again");
      }
      found = std::string(secret);
    }
  }
  return found;
}

}  // namespace pawl::service
