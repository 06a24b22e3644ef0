#pragma once

/// Asks a reviewer for a note: one line typed at the terminal, or a longer text from the editor.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "pawl/core/ids.hpp"

namespace pawl::cli {

/// Asks at the terminal. An `e` alone opens the editor (VISUAL, EDITOR, vi). None if the person
/// gives no note, which is said, or after Ctrl-C, which the next key reports. A text from the
/// editor is kept as a draft of the review until the answer is sent. The number of one of the usual
/// `reasons`, which are listed, stands for its text.
[[nodiscard]] std::optional<std::string> ask_note(Session& session, ReviewId review,
                                                  const std::string& question,
                                                  const std::vector<std::string>& reasons);

}  // namespace pawl::cli
