#pragma once

/// Base64 (RFC 4648, with padding, on one line).

#include <optional>
#include <string>
#include <string_view>

namespace pawl::codec {

[[nodiscard]] std::string to_base64(std::string_view bytes);

/// Strict: empty for any text that `to_base64` does not produce.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace pawl::codec
