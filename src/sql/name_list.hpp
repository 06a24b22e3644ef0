#pragma once

/// A list of names as one column of JSON text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sql {

[[nodiscard]] std::string names_text(const std::vector<std::string>& names);
/// Throws a `Fault` for a text that `names_text` did not write.
[[nodiscard]] std::vector<std::string> names_from(std::string_view text);

/// The same for a column that is NULL if there are no names.
[[nodiscard]] std::optional<std::string> names_text_or_null(const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::string> names_or_none(std::string_view text);

}  // namespace pawl::sql
