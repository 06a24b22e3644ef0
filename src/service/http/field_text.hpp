#pragma once

/// The characters that HTTP allows in its parts.

#include <string_view>

namespace pawl::service {

/// Whether the text is the name of a field or a method: letters, digits and "!#$%&'*+-.^_`|~".
[[nodiscard]] bool is_token(std::string_view text);

/// Whether the text can be the value of a field: no control characters but the tab.
[[nodiscard]] bool is_field_value(std::string_view text);

/// Whether no byte of a head may be this one, line ends and tabs apart.
[[nodiscard]] bool is_control(char byte);

/// Without spaces and tabs at both ends.
[[nodiscard]] std::string_view without_blanks(std::string_view text);

}  // namespace pawl::service
