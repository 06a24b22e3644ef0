#include "service/access/sign_in.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/digest.hpp"
#include "service/access/token_check.hpp"

namespace pawl::service {
namespace {

void forget_expired(auto& entries, Timestamp now) {
  std::erase_if(entries, [&](const auto& entry) { return entry.second.expires_at <= now; });
}

std::unexpected<Error> no_session() {
  return fail(ErrorCode::forbidden, "the session has ended", "sign in again");
}

}  // namespace

SignIn::SignIn(Store& store, Duration session_time, std::string_view public_url)
    : store_(store), session_time_(session_time), cookie_(public_url) {}

std::string SignIn::make_code(const std::string& person) {
  std::string code = make_secret().text;
  code.erase(0, code.find('_') + 1);  // it is not a token
  const Timestamp now = store_.now();
  const std::lock_guard lock(mutex_);
  forget_expired(codes_, now);
  if (codes_.size() >= codes_max) {
    codes_.erase(std::ranges::min_element(
        codes_, {}, [](const auto& entry) { return entry.second.expires_at; }));
  }
  codes_.emplace(sha256_hex(code), Code{.person = person, .expires_at = now + code_time});
  return code;
}

SignIn::Codes::node_type SignIn::take_code(std::string_view code) {
  const std::string digest = sha256_hex(code);
  const Timestamp now = store_.now();
  const std::lock_guard lock(mutex_);
  forget_expired(codes_, now);
  return codes_.extract(digest);
}

void SignIn::put_back(Codes::node_type code) {
  const std::lock_guard lock(mutex_);
  codes_.insert(std::move(code));
}

Result<SignedIn> SignIn::with_code(std::string_view code, const std::string& address) {
  Codes::node_type taken = take_code(code);
  if (taken.empty()) {
    return fail(ErrorCode::forbidden, "the code is wrong, was used already, or is too old",
                "start `pawl serve` again for another one, or sign in with a token");
  }
  Result<SignedIn> opened = open_for_code(taken.mapped().person, address);
  // A store that does not answer now has opened nothing: the same code works later.
  if (!opened && opened.error().code == ErrorCode::unavailable) put_back(std::move(taken));
  return opened;
}

Result<SignedIn> SignIn::open_for_code(const std::string& person, const std::string& address) {
  People& people = store_.people();
  const Result<std::vector<Person>> all = people.all();
  if (!all) return std::unexpected(all.error());
  if (all->empty()) return open_local({.name = person, .address = address});
  if (std::ranges::find(*all, person, &Person::name) == all->end()) {
    return fail(ErrorCode::forbidden, "'" + person + "' is not among the people of this store",
                "add them: pawl user add " + person +
                    " --role admin. or sign in with the token of a person: pawl token create");
  }
  const Actor actor{.name = person, .method = ActorMethod::session, .address = address};
  return open(actor, Role::admin, store_.now() + session_time_);
}

Result<SignedIn> SignIn::with_token(std::string_view token, const std::string& address) {
  const Result<TokenRecord> record = check_token(store_, token);
  if (!record) return std::unexpected(record.error());
  if (record->kind != ActorKind::person) {
    return fail(ErrorCode::forbidden, "only people sign in, and this token is not a person's",
                "a program sends its token with each request: `Authorization: Bearer TOKEN`");
  }
  Timestamp expires_at = store_.now() + session_time_;
  if (record->expires_at != no_time) expires_at = std::min(expires_at, record->expires_at);
  const Actor actor{.name = record->name,
                    .method = ActorMethod::token,
                    .address = address,
                    .at_most = record->role};
  return open(actor, record->role, expires_at);
}

Result<SignedIn> SignIn::open(const Actor& actor, Role at_most, Timestamp expires_at) {
  const Secret secret = make_secret();
  const Status opened = store_.people().change(OpenSession{.session = {.sha256 = secret.sha256,
                                                                       .person = actor.name,
                                                                       .at_most = at_most,
                                                                       .expires_at = expires_at}},
                                               actor);
  if (!opened) return std::unexpected(opened.error());
  return SignedIn{.cookie = secret.text,
                  .actor = {.name = actor.name,
                            .method = ActorMethod::session,
                            .address = actor.address,
                            .at_most = at_most},
                  .expires_at = expires_at};
}

SignedIn SignIn::open_local(Actor actor) {
  Secret secret = make_secret();
  const Timestamp now = store_.now();
  const Timestamp expires_at = now + session_time_;
  const std::lock_guard lock(mutex_);
  forget_expired(local_sessions_, now);
  local_sessions_.emplace(secret.sha256,
                          Session{.actor = {.name = actor.name}, .expires_at = expires_at});
  return {.cookie = std::move(secret.text), .actor = std::move(actor), .expires_at = expires_at};
}

Result<Session> SignIn::session(const std::string& sha256) {
  const Timestamp now = store_.now();
  {
    const std::lock_guard lock(mutex_);
    const auto local = local_sessions_.find(sha256);
    if (local != local_sessions_.end()) {
      if (local->second.expires_at <= now) return no_session();
      return local->second;
    }
  }
  const Result<SessionRecord> record = store_.people().session(sha256);
  if (!record && record.error().code != ErrorCode::not_found) {
    return std::unexpected(record.error());
  }
  if (!record || record->expires_at <= now) return no_session();
  return Session{
      .actor = {.name = record->person, .method = ActorMethod::session, .at_most = record->at_most},
      .expires_at = record->expires_at};
}

Status SignIn::sign_out(const std::string& session_sha256, const Actor& actor) {
  {
    const std::lock_guard lock(mutex_);
    if (local_sessions_.erase(session_sha256) > 0) return {};
  }
  Status closed = store_.people().change(CloseSession{.sha256 = session_sha256}, actor);
  if (!closed && closed.error().code == ErrorCode::not_found) return {};
  return closed;
}

}  // namespace pawl::service
