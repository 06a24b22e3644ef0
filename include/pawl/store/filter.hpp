#pragma once

/// A small language that selects records by their fields.
///
///   error ~ "timeout" and not (stage = "scan" or failure_count >= 3)
///   error_class in ("final", "blocked") and age < 15m
///
/// Text is compared exactly with = and !=, and with ~ for "contains, whatever the case". Numbers
/// and durations (us, ms, s, m, h, d) have an order. A field that is yes or no stands alone or is
/// compared with true and false. `not` binds tighter than `and`, `and` tighter than `or`.
///
/// A filter that does not parse is an error that names the column; nothing ever means "all".
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

/// A field that a filter may name.
struct FilterField {
  std::string name;
  FieldKind kind = FieldKind::text;
  /// Where not empty: the only values that = != and `in` may name. A misspelt one is an error.
  std::vector<std::string> values = {};
};

/// The value of a field, of the type its kind says.
using FieldValue = std::variant<std::string, double, Duration, bool>;

/// Gives the value of a field, by its place among the known fields. Asked only for the fields that
/// the answer depends on, so that a costly one is read when it is needed.
using FieldReader = std::function<FieldValue(std::size_t field)>;

inline constexpr std::size_t filter_length_max = 8'192;
inline constexpr std::size_t filter_depth_max = 64;

class Filter {
 public:
  struct Node;
  explicit Filter(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

  [[nodiscard]] bool matches(const FieldReader& read) const;
  /// Whether the answer can depend on the field at this place.
  [[nodiscard]] bool uses(std::size_t field) const;
  /// The filter in its canonical form; parsing it again gives the same filter.
  [[nodiscard]] std::string text() const;

 private:
  std::shared_ptr<const Node> root_;
};

/// Reads a filter over these fields. `invalid` with the column (counted from 1, in bytes) and what
/// was expected there; an unknown field comes with the nearest known one.
[[nodiscard]] Result<Filter> parse_filter(std::string_view text,
                                          std::span<const FilterField> fields);

/// A text as the language writes it: in double quotes, with quotes and backslashes escaped.
[[nodiscard]] std::string quoted_for_filter(std::string_view text);

}  // namespace pawl
