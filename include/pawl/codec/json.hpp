#pragma once

/// Reading JSON: from untrusted text to `Json`, and from `Json` to values.
///
/// Readers answer "not there, or of another type" with an empty optional, never with an error:
/// the caller knows what a missing field means. Every function here is pure; call from any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

/// What untrusted text may cost.
struct JsonLimits {
  std::size_t depth = 64;                              ///< objects and arrays inside each other
  std::size_t bytes = std::size_t{16} << 20U;          ///< of the text
  std::size_t members = static_cast<std::size_t>(-1);  ///< of one object
};

/// One JSON value, strictly: RFC 8259, valid UTF-8, no duplicate keys, nothing after the value, no
/// number beyond the range of a double. Numbers keep their digits, so integers of any size stay
/// exact. Otherwise `invalid` with line and column.
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

/// The same value in the one form that equal values share: keys sorted by their bytes, numbers and
/// strings in their shortest spelling (1.0 and 1e0 are 1). For hashes.
[[nodiscard]] Json canonical(const Json& value);
/// For people: indented by two spaces, without a final newline.
[[nodiscard]] std::string pretty(const Json& value);

[[nodiscard]] bool is_object(const Json& value);
[[nodiscard]] bool is_array(const Json& value);
[[nodiscard]] bool is_string(const Json& value);
[[nodiscard]] bool is_number(const Json& value);

[[nodiscard]] std::optional<Json> member(const Json& object, std::string_view key);
/// "a.b[0].c"; the empty path is the value itself. A key with a dot or bracket has no path.
[[nodiscard]] std::optional<Json> at_path(const Json& value, std::string_view dotted);

[[nodiscard]] std::optional<std::string> string_of(const Json& value);
/// Only what is written as an integer and fits; 1.0 and 1e3 are numbers, not integers.
[[nodiscard]] std::optional<std::int64_t> integer_of(const Json& value);
[[nodiscard]] std::optional<double> number_of(const Json& value);
[[nodiscard]] std::optional<bool> boolean_of(const Json& value);

/// Empty when it is not an array.
[[nodiscard]] std::vector<Json> elements(const Json& array);
/// In the order of the text; empty when it is not an object.
[[nodiscard]] std::vector<std::pair<std::string, Json>> members(const Json& object);

}  // namespace pawl
