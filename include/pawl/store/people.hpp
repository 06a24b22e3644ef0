#pragma once

/// The people of a store, their groups, tokens and sessions. A store without people trusts whoever
/// opens it, as a file does.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

/// A token, without its secret: the store keeps only the SHA-256 of that.
struct TokenRecord {
  std::int64_t number = 0;  ///< from 1; set by the store
  std::string sha256;       ///< in hex, of the whole secret
  std::string name;         ///< the person, or the name of the worker or agent
  ActorKind kind = ActorKind::person;
  Role role = Role::viewer;               ///< the most it may do
  std::vector<std::string> worker_kinds;  ///< of a worker: the kinds of stages it may lease
  std::string note;                       ///< what it is for
  Timestamp created_at;
  Timestamp expires_at;  ///< none: never
  Timestamp revoked_at;  ///< none: it is not
  Timestamp used_at;     ///< when it was last used, to the minute; none: never
  friend bool operator==(const TokenRecord&, const TokenRecord&) = default;

  [[nodiscard]] bool is_good(Timestamp now) const {
    return revoked_at == no_time && (expires_at == no_time || now < expires_at);
  }
};

/// A sign-in of a browser, by the SHA-256 of its cookie.
struct SessionRecord {
  std::string sha256;
  std::string person;
  Role at_most = Role::admin;
  Timestamp created_at;
  Timestamp expires_at;
  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

/// Adds a person. `conflict` if the name is taken.
struct AddPerson {
  std::string name;
  Role role = Role::reviewer;
  std::vector<std::string> groups;
};
/// Replaces the role or the groups, as far as they are set.
struct ChangePerson {
  std::string name;
  std::optional<Role> role;
  std::optional<std::vector<std::string>> groups;
};
/// Removes a person, revokes their tokens and ends their sessions. What they did stays on record.
struct RemovePerson {
  std::string name;
};
/// The secret stays with the caller. A token for a person needs that person.
struct CreateToken {
  TokenRecord token;
};
struct RevokeToken {
  std::int64_t number = 0;  ///< ends the sessions of its person, too
};
struct OpenSession {
  SessionRecord session;
};
struct CloseSession {
  std::string sha256;
};
using PeopleChange = std::variant<AddPerson, ChangePerson, RemovePerson, CreateToken, RevokeToken,
                                  OpenSession, CloseSession>;

class People {
 public:
  virtual ~People() = default;

  /// Makes one change, with its entry in the audit trail. `forbidden` unless the actor may manage
  /// people; a session may be opened and closed by the person it is for.
  [[nodiscard]] virtual Status change(const PeopleChange& change, const Actor& actor) = 0;

  /// Everybody, by name.
  [[nodiscard]] virtual Result<std::vector<Person>> all() = 0;
  [[nodiscard]] virtual Result<Person> person(std::string_view name) = 0;
  /// All tokens, the revoked ones too, by number.
  [[nodiscard]] virtual Result<std::vector<TokenRecord>> tokens() = 0;
  /// The token whose secret has this digest. `not_found` if there is none.
  [[nodiscard]] virtual Result<TokenRecord> token(std::string_view sha256) = 0;
  [[nodiscard]] virtual Result<SessionRecord> session(std::string_view sha256) = 0;
  /// Notes the use of a token, at most once a minute. Not in the audit trail.
  [[nodiscard]] virtual Status note_use(std::int64_t token) = 0;
  /// What the store knows about an actor now.
  [[nodiscard]] virtual Result<Standing> standing(const Actor& actor) = 0;
};

/// A new secret, "pawl_" and 256 random bits, and its digest.
struct Secret {
  std::string text;
  std::string sha256;
};
[[nodiscard]] Secret make_secret();

}  // namespace pawl
