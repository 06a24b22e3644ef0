/// Signing in and out with a browser, and who is signed in.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/people.hpp"
#include "service/access/sign_in.hpp"
#include "service/api/call.hpp"

namespace pawl::service {
namespace {

std::vector<Json> rights_of(const Standing& standing) {
  std::vector<Json> rights;
  for (const std::string& name : all_names<Right>()) {
    if (may(standing, from_name<Right>(name).value())) rights.emplace_back(name);
  }
  return rights;
}

Json session_document(const Actor& actor, const Standing& standing, std::string_view by,
                      std::optional<Timestamp> expires_at) {
  std::vector<Json> groups;
  for (const std::string& group : standing.groups) groups.emplace_back(group);
  return Json::object({{"person", actor.name},
                       {"kind", name_of(actor.kind)},
                       {"role", name_of(standing.role)},
                       {"groups", Json::array(groups)},
                       {"rights", Json::array(rights_of(standing))},
                       {"by", by},
                       {"expires_at", expires_at ? Json(rfc3339(*expires_at)) : Json()}});
}

Result<SignedIn> with_credentials(Call& call) {
  const std::string code = call.body.text("code");
  const std::string token = call.body.text("token");
  if (code.empty() == token.empty()) {
    return fail(ErrorCode::invalid, "a sign-in needs either a code or a token",
                "send {\"code\": \"…\"} or {\"token\": \"pawl_…\"}");
  }
  SignIn& sign_in = call.backend.sign_in;
  return token.empty() ? sign_in.with_code(code, call.address)
                       : sign_in.with_token(token, call.address);
}

/// Ends the session that the request came with.
Status end_session(Call& call) {
  if (call.caller == nullptr || call.caller->session.empty()) return {};
  return call.backend.sign_in.sign_out(call.caller->session, call.caller->actor);
}

Result<Reply> sign_in(Call& call) {
  const Result<SignedIn> opened = with_credentials(call);
  if (!opened) return std::unexpected(opened.error());
  const Result<Standing> standing = call.store().people().standing(opened->actor);
  if (!standing) return std::unexpected(standing.error());
  // Whoever signs in again leaves no older session behind. If that fails, it ends by itself.
  static_cast<void>(end_session(call));
  Response response =
      json_response(200, session_document(opened->actor, *standing, "session", opened->expires_at));
  response.headers.add("Set-Cookie", call.backend.sign_in.cookie().set(
                                         opened->cookie, opened->expires_at - call.store().now()));
  return response;
}

Result<Reply> sign_out(Call& call) {
  if (const Status ended = end_session(call); !ended) return std::unexpected(ended.error());
  Response response{.status = 204};
  response.headers.add("Set-Cookie", call.backend.sign_in.cookie().expired());
  return response;
}

Result<Reply> show_session(Call& call) {
  const Caller& caller = *call.caller;
  // For somebody whom the store does not know: the reason, and what to do.
  if (!caller.standing.is_known) {
    const Status known = check_permission(caller.actor, caller.standing, Right::see);
    if (!known) return std::unexpected(known.error());
  }
  std::optional<Timestamp> expires_at;
  if (!caller.session.empty()) {
    const Result<Session> session = call.backend.sign_in.session(caller.session);
    if (!session) return std::unexpected(session.error());
    expires_at = session->expires_at;
  }
  return Document{session_document(caller.actor, caller.standing, caller.by, expires_at)};
}

}  // namespace

std::vector<Route> session_routes() {
  constexpr std::size_t secret_max = 200;
  return {
      {.method = "GET",
       .path = "/api/v1/session",
       .access = Access::signed_in(),
       .handle = show_session,
       .operation = "showSession",
       .tag = "session",
       .summary = "Who is signed in, and what they may do.",
       .schema = "Session"},
      {.method = "POST",
       .path = "/api/v1/session",
       .access = Access::open(),
       .handle = sign_in,
       .operation = "signIn",
       .tag = "session",
       .summary = "Sign in with a one-time code or with a person's token; sets the cookie of the "
                  "session.",
       .body = {{.name = "code",
                 .about = "The one-time code that `pawl serve` printed.",
                 .length_max = secret_max},
                {.name = "token", .about = "The token of a person.", .length_max = secret_max}},
       .schema = "Session"},
      {.method = "DELETE",
       .path = "/api/v1/session",
       .access = Access::open(),
       .handle = sign_out,
       .operation = "signOut",
       .tag = "session",
       .summary = "Sign out; also deletes the cookie of a session that has ended.",
       .kind = ReplyKind::none,
       .status = 204},
  };
}

}  // namespace pawl::service
