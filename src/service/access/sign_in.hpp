#pragma once

/// Signing in with a browser: one-time codes, tokens and sessions.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "pawl/core/actor.hpp"
#include "pawl/store/people.hpp"
#include "pawl/store/store.hpp"
#include "service/access/session_cookie.hpp"

namespace pawl::service {

/// A session that was opened.
struct SignedIn {
  std::string cookie;  ///< its secret
  Actor actor;         ///< who has signed in
  Timestamp expires_at;
};

/// Whose session it is, and how long it lasts.
struct Session {
  Actor actor;  ///< without an address
  Timestamp expires_at;
};

class SignIn {
 public:
  /// The most codes that are good at the same time; another one replaces the oldest.
  static constexpr std::size_t codes_max = 16;
  static constexpr Duration code_time = std::chrono::minutes(10);

  /// `session_time`: how long a session lasts. `public_url`: the setting.
  SignIn(Store& store, Duration session_time, std::string_view public_url = {});

  [[nodiscard]] const SessionCookie& cookie() const { return cookie_; }

  /// A code that signs this person in, once and within ten minutes. Codes are kept in memory alone.
  [[nodiscard]] std::string make_code(const std::string& person);
  /// Opens a session for a code. `forbidden` if it is wrong, used or too old, or if the store has
  /// people and this one is not among them.
  ///
  /// In a store without people the code of `pawl serve` signs in the local user, who may do
  /// everything, as on the command line. Such a session is kept in memory: it ends with this
  /// object, and stays that of the local user when people are added.
  [[nodiscard]] Result<SignedIn> with_code(std::string_view code, const std::string& address);
  /// Opens a session for a person's token, at most with the role of the token and no longer than
  /// it. `forbidden` for a token that is wrong, revoked or expired, or is not a person's.
  [[nodiscard]] Result<SignedIn> with_token(std::string_view token, const std::string& address);
  /// The session with this digest of the cookie. `forbidden` if it does not exist or has ended.
  [[nodiscard]] Result<Session> session(const std::string& sha256);
  /// Ends the session. Ending one that does not exist is not an error.
  [[nodiscard]] Status sign_out(const std::string& session_sha256, const Actor& actor);

 private:
  struct Code {
    std::string person;
    Timestamp expires_at;
  };
  using Codes = std::map<std::string, Code>;

  [[nodiscard]] Codes::node_type take_code(std::string_view code);
  void put_back(Codes::node_type code);
  [[nodiscard]] Result<SignedIn> open_for_code(const std::string& person,
                                               const std::string& address);
  [[nodiscard]] Result<SignedIn> open(const Actor& actor, Role at_most, Timestamp expires_at);
  [[nodiscard]] SignedIn open_local(Actor actor);

  Store& store_;
  const Duration session_time_;
  const SessionCookie cookie_;
  std::mutex mutex_;
  Codes codes_;  ///< by the digest of the code; guarded by mutex_
  /// Of the local user, by the digest of the cookie; guarded by mutex_.
  std::map<std::string, Session> local_sessions_;
};

}  // namespace pawl::service
