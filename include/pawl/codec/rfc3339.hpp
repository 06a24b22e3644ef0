#pragma once

/// Times as text.

#include <string>
#include <string_view>

#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

/// "2026-03-01T12:04:11Z", with three or six decimals if there are any. Times outside the years 0
/// to 9999 are shown as the nearest time inside.
[[nodiscard]] std::string rfc3339(Timestamp time);
/// Any RFC 3339 time, with an offset. Digits beyond microseconds are dropped.
[[nodiscard]] Result<Timestamp> parse_rfc3339(std::string_view text);

}  // namespace pawl
