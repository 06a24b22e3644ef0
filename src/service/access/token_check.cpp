#include "service/access/token_check.hpp"

#include <string>

#include "pawl/codec/digest.hpp"
#include "pawl/codec/rfc3339.hpp"

namespace pawl::service {

Result<TokenRecord> check_token(Store& store, std::string_view secret) {
  People& people = store.people();
  Result<TokenRecord> token = people.token(sha256_hex(secret));
  if (!token && token.error().code != ErrorCode::not_found) return token;
  const std::string another = "make another token: pawl token create";
  if (!token) return fail(ErrorCode::forbidden, "the token is not known", another);
  const std::string number = "token " + std::to_string(token->number);
  if (token->revoked_at != no_time) {
    return fail(ErrorCode::forbidden, number + " was revoked", another);
  }
  const Timestamp now = store.now();
  if (!token->is_good(now)) {
    return fail(ErrorCode::forbidden, number + " expired at " + rfc3339(token->expires_at),
                another);
  }
  constexpr Duration resolution = std::chrono::minutes(1);
  const bool is_recent = token->used_at != no_time && now - token->used_at < resolution;
  // The time is for people who look at the list: a store that cannot note it now is no reason to
  // refuse a good token.
  if (!is_recent) static_cast<void>(people.note_use(token->number));
  return token;
}

}  // namespace pawl::service
