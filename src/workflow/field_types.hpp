#pragma once

/// The six types of output fields and parameters, by their words.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/workflow/action.hpp"

namespace pawl::workflow {

[[nodiscard]] std::optional<FieldType> field_type(std::string_view word);
/// Whether a value is of the type: an integer is written as one, a file is a `file_value`.
[[nodiscard]] bool fits(const Json& value, FieldType type);
/// Every word: for suggestions.
[[nodiscard]] const std::vector<std::string>& field_type_words();

}  // namespace pawl::workflow
