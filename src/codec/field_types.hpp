#pragma once

/// The names of the six types of output fields and parameters.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/field_type.hpp"
#include "pawl/core/json.hpp"

namespace pawl::codec {

[[nodiscard]] std::optional<FieldType> field_type(std::string_view word);
/// Whether a value has the type. An integer must be written as one; a file is a `file_value`.
[[nodiscard]] bool fits(const Json& value, FieldType type);
/// The type that the `params` of a stage declare for a field of its output; none: not declared.
[[nodiscard]] std::optional<FieldType> declared_type(const Json& params, std::string_view name);
/// All names, for suggestions.
[[nodiscard]] const std::vector<std::string>& field_type_words();

}  // namespace pawl::codec
