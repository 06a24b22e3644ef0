/// Tokens of people, workers and agents.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "actions/new_token.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/people.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/call.hpp"
#include "service/api/cursor.hpp"
#include "views/outputs.hpp"

namespace pawl::service {
namespace {

Result<Page> page_of_tokens(Store& store, const std::string& after, std::uint32_t limit) {
  const Result<std::int64_t> last = number_of_cursor(after);
  if (!last) return std::unexpected(last.error());
  const Result<std::vector<TokenRecord>> tokens = store.people().tokens();
  if (!tokens) return std::unexpected(tokens.error());
  auto token = std::ranges::upper_bound(*tokens, *last, {}, &TokenRecord::number);
  Page page;
  for (; token != tokens->end() && page.rows.size() < limit; ++token) {
    page.rows.push_back(token_document(*token));
  }
  if (token != tokens->end()) page.next = std::to_string(std::prev(token)->number);
  return page;
}

Result<Reply> list_tokens(Call& call) {
  Store& store = call.store();
  return List{.page = [&store](const std::string& after, std::uint32_t limit) {
    return page_of_tokens(store, after, limit);
  }};
}

Result<Reply> create_token(Call& call) {
  // An unset variable of a script must not make a token for ever.
  if (call.body.has("expires") && call.body.text("expires").empty()) {
    return fail(ErrorCode::invalid, "member 'expires' is empty",
                "send a duration such as 90d, or leave it out for a token that does not expire");
  }
  // The table allows only names of kinds and roles.
  const Result<actions::NewToken> made = actions::create_token(
      call.store(),
      {.name = call.body.text("name"),
       .kind = from_name<ActorKind>(call.body.text("kind")).value_or(ActorKind::person),
       .role = from_name<Role>(call.body.text("role")).value_or(Role::viewer),
       .expires = call.body.text("expires"),
       .worker_kinds = call.body.texts("worker_kinds"),
       .note = call.body.text("note")},
      call.actor());
  if (!made) return std::unexpected(made.error());
  return Document{views::with_member(token_document(made->record), "secret", made->secret)};
}

Result<Reply> revoke_token(Call& call) {
  const Result<std::int64_t> number = call.number("token");
  if (!number) return std::unexpected(number.error());
  const Status revoked = call.store().people().change(RevokeToken{.number = *number}, call.actor());
  if (!revoked) return std::unexpected(revoked.error());
  return Document{Json::object({{"token", *number}, {"revoked", true}})};
}

std::vector<Field> fields_of_a_token() {
  return {
      {.name = "name",
       .about = "The person, or a name for the worker or agent.",
       .is_required = true,
       .length_max = actor_name_max},
      {.name = "kind",
       .about = "Who uses it: a person, unless it is given.",
       .words = {"person", "worker", "agent"}},
      {.name = "role",
       .about = "The most that it allows: viewer, unless it is given.",
       .words = {"viewer", "reviewer", "operator", "admin"}},
      {.name = "expires",
       .about = "How long it is valid, such as 90d; without it, until it is revoked.",
       .length_max = 100},
      {.name = "worker_kinds",
       .kind = FieldKind::texts,
       .about = "The kinds of stages that a worker may lease.",
       .length_max = 100},
      {.name = "note", .about = "What it is for.", .length_max = 1'000},
  };
}

}  // namespace

std::vector<Route> token_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/tokens",
       .access = Access::needs(Right::manage_people),
       .handle = list_tokens,
       .operation = "listTokens",
       .tag = "tokens",
       .summary = "All tokens, the revoked ones too, by number. Their secrets are not stored.",
       .kind = ReplyKind::list,
       .schema = "Token",
       .rows = "tokens",
       .columns = {"token", "name", "kind", "role", "worker_kinds", "note", "created_at",
                   "expires_at", "revoked_at", "used_at"}},
      {.method = "POST",
       .path = "/api/v1/tokens",
       .access = Access::needs(Right::manage_people),
       .handle = create_token,
       .operation = "createToken",
       .tag = "tokens",
       .summary = "Make a token. Only this answer has its secret.",
       .body = fields_of_a_token(),
       .status = 201,
       .schema = "NewToken"},
      {.method = "DELETE",
       .path = "/api/v1/tokens/{token}",
       .access = Access::needs(Right::manage_people),
       .handle = revoke_token,
       .operation = "revokeToken",
       .tag = "tokens",
       .summary = "End a token at once.",
       .schema = "RevokedToken"},
  };
}

}  // namespace pawl::service
