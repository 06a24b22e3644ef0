#pragma once

/// Bytes as text (RFC 4648, with padding, in one line).

#include <optional>
#include <string>
#include <string_view>

namespace pawl {

[[nodiscard]] std::string to_base64(std::string_view bytes);

/// Strict: empty for anything that `to_base64` does not write.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace pawl
