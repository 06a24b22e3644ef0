/// Changes who the people of the store are.

#include <algorithm>
#include <string>
#include <utility>

#include "core/joined.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/text.hpp"
#include "store/ledger/verbs.hpp"

namespace pawl::store {

namespace {

std::unexpected<Error> no_person(const std::string& name) {
  return fail(ErrorCode::not_found, "no person '" + valid_text(name) + "'",
              "people are listed by: pawl user list");
}

/// Sorted and without duplicates. `invalid` for a name that no group may have.
Result<std::vector<std::string>> checked_groups(std::vector<std::string> groups) {
  for (const std::string& group : groups) {
    if (const Status good = check_name("group", group); !good) return std::unexpected(good.error());
  }
  std::ranges::sort(groups);
  groups.erase(std::ranges::unique(groups).begin(), groups.end());
  return groups;
}

/// What the audit trail says of a change. Never a secret, nor the digest of one.
struct Described {
  std::string act;
  std::string target;
  std::string details;
  std::string reason;
};

std::string listed(const std::vector<std::string>& words) {
  return words.empty() ? "none" : joined(words);
}

struct Describe {
  const std::string& session_of;  ///< the person whose session is opened or closed

  Described operator()(const AddPerson& change) const {
    return {"person.add",
            "person " + change.name,
            "role " + std::string(name_of(change.role)) + ", groups: " + listed(change.groups),
            {}};
  }
  Described operator()(const ChangePerson& change) const {
    std::string what;
    if (change.role) what = "role " + std::string(name_of(*change.role));
    if (change.groups) what += (what.empty() ? "groups: " : ", groups: ") + listed(*change.groups);
    return {"person.change", "person " + change.name, what, {}};
  }
  Described operator()(const RemovePerson& change) const {
    return {"person.remove", "person " + change.name, {}, {}};
  }
  Described operator()(const CreateToken& change) const {
    const TokenRecord& token = change.token;
    return {"token.create", std::string(name_of(token.kind)) + " " + token.name,
            "role " + std::string(name_of(token.role)), token.note};
  }
  Described operator()(const RevokeToken& change) const {
    return {"token.revoke", "token " + std::to_string(change.number), {}, {}};
  }
  Described operator()(const OpenSession&) const {
    return {"session.open", "person " + session_of, {}, {}};
  }
  Described operator()(const CloseSession&) const {
    return {"session.close", "person " + session_of, {}, {}};
  }
};

/// `forbidden` if a session would allow more than the token that opens it.
Status check_session(const PeopleChange& change, const Actor& actor) {
  const auto* opened = std::get_if<OpenSession>(&change);
  if (opened == nullptr || !actor.at_most || opened->session.at_most <= *actor.at_most) return {};
  return fail(ErrorCode::forbidden, "a session allows no more than the token that opens it");
}

}  // namespace

Status Registry::change(const PeopleChange& change, const Actor& given) {
  Actor actor = given;
  make_text_valid(actor.name);
  make_text_valid(actor.address);
  // Changes of people are made one after another. No change touches a job.
  books_.audit().lock();
  const std::optional<Person> self = rows_.people().person(actor.name);
  const Standing standing = standing_of(actor, self, !rows_.people().is_empty());
  // Signing in and out is everybody's own business; the gatekeeper has checked who it is.
  const std::string owner = owner_of_session(change);
  const bool is_gone = std::holds_alternative<CloseSession>(change) && owner.empty();
  const bool is_own = actor.kind == ActorKind::person && !owner.empty() && owner == actor.name;
  const Right right = is_own || is_gone ? Right::see : Right::manage_people;
  if (Status may = check_permission(actor, standing, right); !may) return may;
  if (Status may = check_session(change, actor); !may) return may;
  Status changed = std::visit([this](const auto& one) { return carry_out(one); }, change);
  if (!changed) return changed;
  Described said = std::visit(Describe{owner}, change);
  books_.audit().note({.actor = std::move(actor),
                       .act = std::move(said.act),
                       .target = std::move(said.target),
                       .details = valid_text(std::move(said.details)),
                       .reason = valid_text(std::move(said.reason))});
  return {};
}

/// The person whose session is opened or closed; empty for every other change.
std::string Registry::owner_of_session(const PeopleChange& change) {
  if (const auto* opened = std::get_if<OpenSession>(&change)) return opened->session.person;
  const auto* closed = std::get_if<CloseSession>(&change);
  const std::optional<SessionRecord> session =
      closed != nullptr ? rows_.people().session(valid_text(closed->sha256)) : std::nullopt;
  return session ? session->person : std::string();
}

Status Registry::carry_out(const AddPerson& change) {
  if (Status good = check_name("person", change.name); !good) return good;
  Result<std::vector<std::string>> groups = checked_groups(change.groups);
  if (!groups) return std::unexpected(groups.error());
  if (rows_.people().person(change.name)) {
    return fail(ErrorCode::conflict, "there is a person '" + change.name + "' already",
                "change them: pawl user role, pawl user groups");
  }
  rows_.people().insert_person(
      {.name = change.name, .role = change.role, .groups = *std::move(groups), .added_at = now_});
  return {};
}

Status Registry::carry_out(const ChangePerson& change) {
  std::optional<Person> person = rows_.people().person(valid_text(change.name));
  if (!person) return no_person(change.name);
  if (change.role) person->role = *change.role;
  if (change.groups) {
    Result<std::vector<std::string>> groups = checked_groups(*change.groups);
    if (!groups) return std::unexpected(groups.error());
    person->groups = *std::move(groups);
  }
  rows_.people().put_person(*person);
  return {};
}

Status Registry::carry_out(const RemovePerson& change) {
  PeopleRows& people = rows_.people();
  if (!people.person(valid_text(change.name))) return no_person(change.name);
  for (const TokenRecord& token : people.tokens()) {
    const bool is_theirs = token.kind == ActorKind::person && token.name == change.name;
    if (is_theirs && token.revoked_at == no_time) people.revoke_token(token.number, now_);
  }
  people.delete_sessions_of(change.name);
  people.delete_person(change.name);
  return {};
}

Status Registry::carry_out(const CreateToken& change) {
  TokenRecord token = change.token;
  if (token.kind == ActorKind::engine) {
    return fail(ErrorCode::invalid, "a token is for a person, a worker or an agent");
  }
  if (Status good = check_name(name_of(token.kind), token.name); !good) return good;
  if (!is_sha256_hex(token.sha256)) {
    return fail(ErrorCode::invalid, "a token is stored as the SHA-256 of its secret");
  }
  if (token.kind == ActorKind::person && !rows_.people().person(token.name)) {
    return no_person(token.name);
  }
  if (token.kind != ActorKind::worker && !token.worker_kinds.empty()) {
    return fail(ErrorCode::invalid, "only the token of a worker names kinds of stages");
  }
  if (token.expires_at != no_time && token.expires_at <= now_) {
    return fail(ErrorCode::invalid, "a token must not have expired when it is created");
  }
  if (rows_.people().token_with_digest(token.sha256)) {
    return fail(ErrorCode::conflict, "there is a token with this secret already");
  }
  make_text_valid(token.note);
  for (std::string& kind : token.worker_kinds) make_text_valid(kind);
  token.created_at = now_;
  token.revoked_at = no_time;
  token.used_at = no_time;
  rows_.people().insert_token(token);
  return {};
}

Status Registry::carry_out(const RevokeToken& change) {
  const std::optional<TokenRecord> token = rows_.people().token(change.number);
  if (!token) {
    return fail(ErrorCode::not_found, "no token " + std::to_string(change.number),
                "tokens are listed by: pawl token list");
  }
  if (token->revoked_at != no_time) {
    return fail(ErrorCode::conflict,
                "token " + std::to_string(change.number) + " has been revoked already");
  }
  rows_.people().revoke_token(change.number, now_);
  // Whoever had a stolen token may have signed in with it.
  if (token->kind == ActorKind::person) rows_.people().delete_sessions_of(token->name);
  return {};
}

Status Registry::carry_out(const OpenSession& change) {
  SessionRecord session = change.session;
  if (!is_sha256_hex(session.sha256)) {
    return fail(ErrorCode::invalid, "a session is stored as the SHA-256 of its secret");
  }
  if (!rows_.people().person(valid_text(session.person))) return no_person(session.person);
  if (session.expires_at <= now_) return fail(ErrorCode::invalid, "a session must end later");
  if (rows_.people().session(session.sha256)) {
    return fail(ErrorCode::conflict, "there is a session with this secret already");
  }
  session.created_at = now_;
  rows_.people().delete_expired_sessions(now_);
  rows_.people().insert_session(session);
  return {};
}

Status Registry::carry_out(const CloseSession& change) {
  const std::string digest = valid_text(change.sha256);
  if (!rows_.people().session(digest)) {
    return fail(ErrorCode::not_found, "no such session", "sign in again");
  }
  rows_.people().delete_session(digest);
  return {};
}

}  // namespace pawl::store
