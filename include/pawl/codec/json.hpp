#pragma once

/// Reading JSON: from untrusted text to `Json`, and from `Json` to values.
///
/// Readers return an empty optional for "missing or of another type", never an error: the caller
/// knows what a missing field means. Every function here is pure and thread-safe.

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

/// Limits on untrusted text.
struct JsonLimits {
  std::size_t depth = 64;                              ///< nesting of objects and arrays
  std::size_t bytes = std::size_t{16} << 20U;          ///< of the text
  std::size_t members = static_cast<std::size_t>(-1);  ///< in one object
};

/// Parses one JSON value strictly: RFC 8259, valid UTF-8, no duplicate keys, nothing after the
/// value, no number beyond the range of a double. Numbers keep their digits, so integers of any
/// size stay exact. Otherwise `invalid` with line and column.
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

/// The same value in canonical form, for hashes: keys sorted by their bytes, numbers and strings in
/// their shortest spelling (1.0 and 1e0 become 1).
[[nodiscard]] Json canonical(const Json& value);
/// Formatted for people: indented by two spaces, without a final newline.
[[nodiscard]] std::string pretty(const Json& value);

[[nodiscard]] bool is_object(const Json& value);
[[nodiscard]] bool is_array(const Json& value);
[[nodiscard]] bool is_string(const Json& value);
[[nodiscard]] bool is_number(const Json& value);

[[nodiscard]] std::optional<Json> member(const Json& object, std::string_view key);
/// A path such as "a.b[0].c"; the empty path is the value itself. A key with a dot or bracket
/// cannot be addressed.
[[nodiscard]] std::optional<Json> at_path(const Json& value, std::string_view dotted);

[[nodiscard]] std::optional<std::string> string_of(const Json& value);
/// Only a number that is written as an integer and fits; 1.0 and 1e3 are not integers.
[[nodiscard]] std::optional<std::int64_t> integer_of(const Json& value);
[[nodiscard]] std::optional<double> number_of(const Json& value);
[[nodiscard]] std::optional<bool> boolean_of(const Json& value);

/// Empty if the value is not an array.
[[nodiscard]] std::vector<Json> elements(const Json& array);
/// In the order of the text. Empty if the value is not an object.
[[nodiscard]] std::vector<std::pair<std::string, Json>> members(const Json& object);

}  // namespace pawl
