#pragma once

/// Shows long text to a person, page by page.

#include <string>

#include "cli/session.hpp"

namespace pawl::cli {

/// Shows a text on the terminal: at once if it fits, else with $PAGER, else page by page with a key
/// for the next one. Returns false if the person pressed Ctrl-C or the terminal is gone.
[[nodiscard]] bool show_paged(Session& session, const std::string& text);

}  // namespace pawl::cli
