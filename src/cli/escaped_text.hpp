#pragma once

/// Text from outside as a terminal may get it, and ids as text that can be read back.
///
/// Keys, messages, logs and files can hold anything: escape sequences, changes of the writing
/// direction, newlines. Whatever a terminal would obey is written as an escape of JSON instead:
/// "\n", "\u001b". The same escapes make an id one line that means that id and no other.

#include <string>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl::cli {

/// The text in one line. Unprintable characters become escapes, broken UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);
/// The same for several lines: newlines and tabs stay. JSON stays JSON, with the same meaning.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// A key, a stage or a fan-out child as a part of an id. `read_id_part` reads it back, whatever the
/// bytes. Ordinary text stays as it is. A backslash is doubled; bytes that are not UTF-8 become
/// "\xff"; blanks at the ends and a dash at the beginning become escapes, as a shell or a reader
/// would lose them.
[[nodiscard]] std::string id_part(std::string_view text);
/// Every character of `also` becomes an escape as well.
[[nodiscard]] std::string id_part(std::string_view text, std::string_view also);

/// The same with an escape in any case: its first character is written as one.
[[nodiscard]] std::string id_part_with_escape(std::string_view text);

/// What an id part stands for: the escapes of JSON strings, and "\xff" for a byte. `invalid` for a
/// backslash that begins no escape; it is never guessed.
[[nodiscard]] Result<std::string> read_id_part(std::string_view text);

/// A word for the shell: in single quotes where it needs them.
[[nodiscard]] std::string quoted_for_shell(std::string_view text);

/// Where this character stands outside of any escape, from `from` on; npos: nowhere.
[[nodiscard]] std::size_t find_unescaped(std::string_view text, char wanted, std::size_t from = 0);

}  // namespace pawl::cli
