#pragma once

/// Whether a token may be used now.

#include <string_view>

#include "pawl/store/people.hpp"
#include "pawl/store/store.hpp"

namespace pawl::service {

/// The record of the token with this secret; notes its use. `forbidden`, with the reason, if it is
/// unknown, revoked or expired.
[[nodiscard]] Result<TokenRecord> check_token(Store& store, std::string_view secret);

}  // namespace pawl::service
