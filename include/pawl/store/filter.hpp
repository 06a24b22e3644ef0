#pragma once

/// A small language that selects records by their fields.
///
///   error ~ "timeout" and not (stage = "scan" or failure_count >= 3)
///   error_class in ("final", "blocked") and age < 15m
///
/// Text is compared exactly with = and !=, or with ~ for a case-insensitive "contains". Numbers and
/// durations (us, ms, s, m, h, d) can be ordered. A boolean field stands alone or is compared with
/// true and false. `not` binds tighter than `and`, `and` tighter than `or`.
///
/// A filter that does not parse is an error that names the column. An empty filter is an error too:
/// it never means "all".
/// Threads: a Filter is immutable; copies share one representation.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

enum class FieldKind : std::uint8_t { text, number, duration, boolean };

/// A field that filters may use.
struct FilterField {
  std::string name;
  FieldKind kind = FieldKind::text;
  /// If not empty: the only values allowed with =, != and `in`. A misspelt value is an error.
  std::vector<std::string> values = {};
};

/// The value of a field, in the type of its kind.
using FieldValue = std::variant<std::string, double, Duration, bool>;

/// Returns the value of a field, given its index among the known fields. Called only for the fields
/// that the result depends on, so that a costly field is read only if needed.
using FieldReader = std::function<FieldValue(std::size_t field)>;

inline constexpr std::size_t filter_length_max = 8'192;
inline constexpr std::size_t filter_depth_max = 64;

class Filter {
 public:
  struct Node;
  explicit Filter(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

  [[nodiscard]] bool matches(const FieldReader& read) const;
  /// Whether the result can depend on the field with this index.
  [[nodiscard]] bool uses(std::size_t field) const;
  /// The filter in canonical form; parsing it gives the same filter.
  [[nodiscard]] std::string text() const;

 private:
  std::shared_ptr<const Node> root_;
};

/// Parses a filter over these fields. `invalid` names the column (counted from 1, in bytes) and
/// what was expected there. For an unknown field it suggests the nearest known one.
[[nodiscard]] Result<Filter> parse_filter(std::string_view text,
                                          std::span<const FilterField> fields);

/// A text as a literal of the filter language: in double quotes, with quotes and backslashes
/// escaped.
[[nodiscard]] std::string quoted_for_filter(std::string_view text);

}  // namespace pawl
