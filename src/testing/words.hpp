#pragma once

/// Formats durations for people.

#include <string>

#include "pawl/core/time.hpp"

namespace pawl::testing {

/// "14d 2h", "1m 30s", "250ms", "0s"
[[nodiscard]] std::string in_words(Duration time);

}  // namespace pawl::testing
