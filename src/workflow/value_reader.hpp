#pragma once

/// Reads single values of a workflow file, strictly. A value that does not fit adds a fault with
/// its place and what to do, and the result is empty.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/codec/names.hpp"
#include "pawl/core/policy.hpp"
#include "workflow/faults.hpp"
#include "workflow/yaml.hpp"

namespace pawl::workflow {

/// One value, and its name in messages: `"timeout" of stage "convert"`.
struct Value {
  const YamlNode& node;
  std::string what;
};

enum class Zero : std::uint8_t { refused, allowed };

[[nodiscard]] bool expect_map(Faults& faults, const Value& value, std::string help = {});
[[nodiscard]] bool expect_list(Faults& faults, const Value& value);
/// Text that is written as text: a number or a boolean needs quotes. Never empty.
[[nodiscard]] std::optional<std::string> read_text(Faults& faults, const Value& value);
/// Text, or a number as written.
[[nodiscard]] std::optional<std::string> read_argument(Faults& faults, const Value& value);
[[nodiscard]] std::optional<bool> read_boolean(Faults& faults, const Value& value);
[[nodiscard]] std::optional<std::int64_t> read_integer(
    Faults& faults, const Value& value, std::int64_t least,
    std::int64_t most = std::numeric_limits<std::int64_t>::max());
[[nodiscard]] std::optional<std::uint32_t> read_count(Faults& faults, const Value& value);
[[nodiscard]] std::optional<double> read_number(Faults& faults, const Value& value, double least,
                                                double most);
[[nodiscard]] std::optional<Duration> read_duration(Faults& faults, const Value& value,
                                                    Zero zero = Zero::refused);
[[nodiscard]] std::optional<Rate> read_rate(Faults& faults, const Value& value);
[[nodiscard]] std::optional<Tolerance> read_tolerance(Faults& faults, const Value& value);

/// One of `words`, case-sensitive.
[[nodiscard]] std::optional<std::string> read_word(Faults& faults, const Value& value,
                                                   const std::vector<std::string>& words);
template <class E>
[[nodiscard]] std::optional<E> read_enum(Faults& faults, const Value& value) {
  const std::optional<std::string> word = read_word(faults, value, all_names<E>());
  return word ? from_name<E>(*word) : std::nullopt;
}

/// A text with its place.
struct PlacedText {
  std::string text;
  Place place;
};
/// A list of texts without duplicates.
[[nodiscard]] std::vector<PlacedText> read_texts(Faults& faults, const Value& value);

/// Checks the name of a workflow, stage, field, gate, param or pool.
bool check_name(Faults& faults, const Place& place, std::string_view what, std::string_view name);
/// Checks the name of an environment variable for a stage.
bool check_variable_name(Faults& faults, const Place& place, std::string_view name);

}  // namespace pawl::workflow
