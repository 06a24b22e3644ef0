#pragma once

/// Numbers for people.

#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::text {

/// "1,040"
[[nodiscard]] std::string with_separators(std::int64_t number);
/// "1 item", "1,040 items"; `many` for a plural that does not end in "s"
[[nodiscard]] std::string counted(std::int64_t number, std::string_view one,
                                  std::string_view many = {});
/// "12.4 MiB"
[[nodiscard]] std::string bytes_in_words(std::int64_t bytes);
/// "8.1", or "8" for a whole number
[[nodiscard]] std::string one_decimal(double value);

}  // namespace pawl::text
