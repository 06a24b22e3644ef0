#pragma once

/// The form of all text inside pawl: valid UTF-8 without NUL. Every store can hold it.
///
/// Text from stages, gates, files and people is converted once, on entry. `close`
/// ("pawl/core/step.hpp") converts what attempts produce, before anything is decided. Every store
/// converts submissions, operations and arrivals, before anything is compared. What cannot stay
/// becomes U+FFFD, so that a reader sees that something was there.

#include <string>
#include <string_view>

#include "pawl/core/json.hpp"

namespace pawl {

/// Whether the bytes are valid UTF-8 (no overlong forms, no surrogates, nothing past U+10FFFF)
/// without NUL.
[[nodiscard]] bool is_valid_text(std::string_view bytes) noexcept;

/// The same text, or a copy in which each NUL and each broken sequence is U+FFFD. A truncated
/// sequence counts as one: "caf\xC3" becomes "caf\uFFFD".
[[nodiscard]] std::string valid_text(std::string bytes);
void make_text_valid(std::string& text);

/// Whether the JSON is valid text and every string in it is valid: no escape of a lone surrogate.
/// An escaped NUL (backslash, u0000) is allowed: the stores hold it as plain text.
[[nodiscard]] bool has_valid_strings(const Json& json) noexcept;

/// The same JSON, or a copy in which each NUL byte, each broken sequence and each escape of a lone
/// surrogate is U+FFFD.
[[nodiscard]] Json with_valid_strings(Json json);
void make_text_valid(Json& json);

}  // namespace pawl
