#pragma once

/// Keeps passwords out of messages, even if the address is mistyped and cannot be parsed.

#include <string>
#include <string_view>

namespace pawl::text {

/// The text with every password of an address in it replaced by "***". Passwords are recognised by
/// their position: after a user and a colon up to the last @ of the line, and after `password=`. It
/// hides too much rather than too little.
[[nodiscard]] std::string without_passwords(std::string_view text);

/// Whether a text that is not the address of a store looks like a mistyped one: it names a user
/// with a password, a scheme, or settings of libpq.
[[nodiscard]] bool looks_like_address(std::string_view text);

}  // namespace pawl::text
