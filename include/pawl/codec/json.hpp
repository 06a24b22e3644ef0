#pragma once

/// Reading JSON: from untrusted text to `Json`, and from `Json` to values. Every function here is
/// pure and thread-safe.

#include <cstddef>
#include <cstdint>
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

/// A place inside a JSON value. Errors name the place and what is there instead:
///
///   field(output, "words").integer()        error: "'words' is a string, not an integer"
///   JsonView(output)["pages"][2].string()   error: "'pages[2]' is missing"
///
/// Valid as long as the `Json`. Nothing is parsed before a value is asked for.
class JsonView {
 public:
  JsonView(const Json& value) : text_(value.text()) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] JsonView operator[](std::string_view key) const;
  [[nodiscard]] JsonView operator[](std::size_t index) const;

  /// False if a member or element on the way here is missing.
  [[nodiscard]] bool exists() const noexcept { return !text_.empty(); }
  /// The JSON text of the value; empty if it is missing.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

  [[nodiscard]] Result<Json> json() const;
  [[nodiscard]] Result<std::string> string() const;
  /// Only a number that is written as an integer and fits; 1.0 and 1e3 are not integers.
  [[nodiscard]] Result<std::int64_t> integer() const;
  [[nodiscard]] Result<double> number() const;
  [[nodiscard]] Result<bool> boolean() const;

 private:
  friend JsonView field(const Json& value, std::string_view path);
  JsonView stop(const char* wanted);
  [[nodiscard]] std::unexpected<Error> unfit(const char* wanted) const;

  std::string_view text_;
  std::string path_;          ///< from the root, for messages; ends at the first fault
  std::string_view instead_;  ///< what is at `path_`, if a member or element of it was wanted
  const char* wanted_ = "";   ///< what would have members or elements
};

/// A path such as "a.b[0].c"; the empty path is the value itself. For a key with a dot or bracket
/// use `JsonView(value)[key]`.
[[nodiscard]] JsonView field(const Json& value, std::string_view path);

[[nodiscard]] bool is_object(const JsonView& value);
[[nodiscard]] bool is_array(const JsonView& value);
[[nodiscard]] bool is_string(const JsonView& value);
[[nodiscard]] bool is_number(const JsonView& value);
[[nodiscard]] bool is_boolean(const JsonView& value);

/// Empty if the value is not an array.
[[nodiscard]] std::vector<Json> elements(const JsonView& array);
/// In the order of the text. Empty if the value is not an object.
[[nodiscard]] std::vector<std::pair<std::string, Json>> members(const JsonView& object);

}  // namespace pawl
