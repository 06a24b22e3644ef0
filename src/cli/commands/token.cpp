/// `pawl token`: tokens with which people, workers and agents sign in over the network.

#include <cstdint>
#include <string>
#include <vector>

#include "actions/new_token.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output/file_outputs.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/people.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct TokenCreateOptions {
  std::string name;
  std::string kind = "person";
  std::string role = "viewer";
  std::string expires;  ///< empty: never
  std::vector<std::string> worker_kinds;
  std::string note;
  std::string as;
};

struct TokenRevokeOptions {
  std::int64_t token = 0;
  std::string as;
};

int token_create(Session& session, const TokenCreateOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<actions::NewToken> made = actions::create_token(
      **store,
      {.name = options.name,
       .kind = from_name<ActorKind>(options.kind).value(),
       .role = from_name<Role>(options.role).value(),
       .expires = options.expires,
       .worker_kinds = options.worker_kinds,
       .note = options.note},
      Session::actor(options.as), {.expires = "--expires", .worker_kinds = "--worker-kind"});
  if (!made) return session.fail(made.error());
  const TokenRecord& stored = made->record;
  // Alone on stdout, so that a script can take it.
  const int code = session.present(
      {.document = [&] { return with_member(token_document(stored), "secret", made->secret); },
       .text = [&] { return made->secret + "\n"; }});
  const std::string number = std::to_string(stored.number);
  session.say("this is token " + number + " of " + printable(stored.name) +
              ". it is not shown again: the store keeps only its digest. revoke it: pawl token "
              "revoke " +
              number);
  return code;
}

std::string state_of(const TokenRecord& token, Timestamp now) {
  if (token.revoked_at != no_time) return "revoked";
  return token.is_good(now) ? "valid" : "expired";
}

int token_list(Session& session) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<std::vector<TokenRecord>> tokens = (*store)->people().tokens();
  if (!tokens) return session.fail(tokens.error());
  const Times times = session.times();
  Listing list(session, {.array = "tokens",
                         .columns = {{"TOKEN", Table::Align::right},
                                     {"NAME"},
                                     {"KIND"},
                                     {"ROLE"},
                                     {"STATE"},
                                     {"CREATED"},
                                     {"EXPIRES"},
                                     {"USED"},
                                     {"NOTE", Table::Align::left, 50}}});
  for (const TokenRecord& token : *tokens) {
    const auto cells = [&] {
      return Listing::Cells{std::to_string(token.number),
                            token.name,
                            std::string(name_of(token.kind)),
                            std::string(name_of(token.role)),
                            state_of(token, times.now),
                            times.of(token.created_at),
                            times.of(token.expires_at),
                            times.of(token.used_at),
                            token.note};
    };
    list.add({.document = [&] { return token_document(token); },
              .id = [&] { return std::to_string(token.number); },
              .cells = cells});
  }
  return list.finish({.none = "no tokens. make one: pawl token create --name NAME --role ROLE"});
}

int token_revoke(Session& session, const TokenRevokeOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Status revoked =
      (*store)->people().change(RevokeToken{.number = options.token}, Session::actor(options.as));
  if (!revoked) return session.fail(revoked.error());
  std::string number = std::to_string(options.token);
  return session.present(
      {.document = [&] { return Json::object({{"token", options.token}, {"revoked", true}}); },
       .text = [&] { return "token " + number + " is revoked\n"; },
       .id = [&] { return number; }});
}

}  // namespace

CommandEntry token_create_command() {
  return command("token create", "pawl token create --name anna --role reviewer --expires 90d",
                 "Make a token for a person, a worker or an agent. Its secret is shown once.",
                 &token_create, [](TokenCreateOptions& it) -> Words {
                   return {
                       required_option("--name", &it.name, "NAME",
                                       "The person, or a name for the worker or agent"),
                       choice("--kind", &it.kind, {"person", "worker", "agent"},
                              "Who uses it; default: person"),
                       choice("--role", &it.role, {"viewer", "reviewer", "operator", "admin"},
                              "The most that it allows; default: viewer"),
                       option("--expires", &it.expires, "TIME",
                              "How long it is valid, such as 90d; default: until it is revoked"),
                       list_option("--worker-kind", it.worker_kinds, "KIND",
                                   "A kind of stage that the worker may lease; may be repeated"),
                       option("--note", &it.note, "TEXT", "What it is for"),
                       person_option(it.as)};
                 });
}

CommandEntry token_list_command() {
  return command("token list", "pawl token list",
                 "List the tokens, the revoked ones too. Secrets are not stored.", &token_list);
}

CommandEntry token_revoke_command() {
  return command("token revoke", "pawl token revoke 3", "End a token at once.", &token_revoke,
                 [](TokenRevokeOptions& it) -> Words {
                   return {argument(&it.token, "TOKEN", "The token number"), person_option(it.as)};
                 });
}

}  // namespace pawl::cli
