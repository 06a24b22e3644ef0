#pragma once

/// Makes tokens, as the command line and the API do.

#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/people.hpp"
#include "pawl/store/store.hpp"

namespace pawl::actions {

/// A token as somebody asks for it.
struct TokenRequest {
  std::string name;  ///< the person, or a name for the worker or agent
  ActorKind kind = ActorKind::person;
  Role role = Role::viewer;
  std::string expires;  ///< how long it is valid: "90d"; empty: until it is revoked
  std::vector<std::string> worker_kinds;
  std::string note;
};
/// What the caller's users call the fields, for messages.
struct TokenFieldNames {
  std::string_view expires = "expires";
  std::string_view worker_kinds = "worker_kinds";
};

struct NewToken {
  TokenRecord record;
  std::string secret;  ///< the store has only its digest
};

/// `invalid` with every fault of the request at once.
[[nodiscard]] Result<NewToken> create_token(Store& store, const TokenRequest& request,
                                            const Actor& actor, const TokenFieldNames& names = {});

}  // namespace pawl::actions
