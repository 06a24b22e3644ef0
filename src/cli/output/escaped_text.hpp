#pragma once

/// Text that is safe for a terminal, and the text of ids.

#include "views/escaped_text.hpp"

namespace pawl::cli {

using views::find_unescaped;
using views::id_part;
using views::id_part_with_escape;
using views::printable;
using views::printable_lines;
using views::quoted_for_shell;
using views::read_id_part;

}  // namespace pawl::cli
