#pragma once

/// Makes text from outside safe for a terminal, and writes ids as text that can be read back.
///
/// Keys, messages, logs and files can contain anything: escape sequences, changes of the writing
/// direction, newlines. Characters that a terminal would obey are written as JSON escapes: "\n",
/// "\u001b". With the same escapes, an id is always one line with one meaning.

#include <string>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl::views {

/// The text as one line. Unprintable characters become escapes, invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);
/// The same for several lines: newlines and tabs stay. JSON stays JSON, with the same meaning.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// A key, a stage or a fan-out child as a part of an id. `read_id_part` reads it back, whatever the
/// bytes. Ordinary text stays as it is. A backslash is doubled; bytes that are not UTF-8 become
/// "\xff"; spaces at the ends and a dash at the beginning become escapes, because a shell or a
/// reader would lose them.
[[nodiscard]] std::string id_part(std::string_view text);
/// The same, and every character of `also` becomes an escape.
[[nodiscard]] std::string id_part(std::string_view text, std::string_view also);

/// The same, but the first character always becomes an escape.
[[nodiscard]] std::string id_part_with_escape(std::string_view text);

/// Reads an id part: the escapes of JSON strings, and "\xff" for a byte. `invalid` if a backslash
/// does not begin an escape.
[[nodiscard]] Result<std::string> read_id_part(std::string_view text);

/// A word for the shell, in single quotes if it needs them.
[[nodiscard]] std::string quoted_for_shell(std::string_view text);

/// The first position of this character outside of any escape, starting at `from`; npos: none.
[[nodiscard]] std::size_t find_unescaped(std::string_view text, char wanted, std::size_t from = 0);

}  // namespace pawl::views
