#pragma once

/// Durations and numbers in words, for documents and for people.

#include <cstdint>
#include <string>

#include "pawl/core/time.hpp"

namespace pawl::views {

/// "41s", "2h10m", "3d4h", "350ms", "8.1s": the two largest units.
[[nodiscard]] std::string in_words(Duration duration);
/// "1,040"
[[nodiscard]] std::string with_separators(std::int64_t number);
/// "8.1"
[[nodiscard]] std::string one_decimal(double value);

}  // namespace pawl::views
