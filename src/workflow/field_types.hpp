#pragma once

/// The names of the six types of output fields and parameters.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/workflow/action.hpp"

namespace pawl::workflow {

[[nodiscard]] std::optional<FieldType> field_type(std::string_view word);
/// Whether a value has the type. An integer must be written as one; a file is a `file_value`.
[[nodiscard]] bool fits(const Json& value, FieldType type);
/// All names, for suggestions.
[[nodiscard]] const std::vector<std::string>& field_type_words();

}  // namespace pawl::workflow
