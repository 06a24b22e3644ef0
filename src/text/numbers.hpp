#pragma once

/// Numbers for people.

#include <cstdint>
#include <string>

namespace pawl::text {

/// "1,040"
[[nodiscard]] std::string with_separators(std::int64_t number);
/// "8.1", or "8" for a whole number
[[nodiscard]] std::string one_decimal(double value);

}  // namespace pawl::text
