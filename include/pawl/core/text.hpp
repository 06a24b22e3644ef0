#pragma once

/// The form that all text has inside pawl: valid UTF-8 without NUL. Every store can hold it.
///
/// Text from stages, gates, files and people is brought into this form once, where it comes in:
/// `close` ("pawl/core/step.hpp") does it to what attempts bring, before anything is decided, and
/// every store to submissions, acts and arrivals, before anything is compared. What cannot stay
/// becomes U+FFFD, so that a reader sees that something was there.

#include <string>
#include <string_view>

#include "pawl/core/json.hpp"

namespace pawl {

/// Whether bytes are valid UTF-8 (no overlong forms, no surrogates, nothing past U+10FFFF) and hold
/// no NUL.
[[nodiscard]] bool is_valid_text(std::string_view bytes) noexcept;

/// The same text, or a copy in which each NUL and each broken sequence is U+FFFD. A sequence that
/// ends too early is one sequence: "caf\xC3" becomes "caf\uFFFD".
[[nodiscard]] std::string valid_text(std::string bytes);
void make_text_valid(std::string& text);

/// Whether JSON is valid text and every string in it is text: no escape of a lone surrogate. An
/// escaped NUL (backslash, u0000) is data and may stay: in the stores it is plain text.
[[nodiscard]] bool has_valid_strings(const Json& json) noexcept;

/// The same JSON, or a copy in which each NUL byte, each broken sequence and each escape of a lone
/// surrogate is U+FFFD.
[[nodiscard]] Json with_valid_strings(Json json);
void make_text_valid(Json& json);

}  // namespace pawl
