#pragma once

/// Checks the text before the YAML parser sees it, because the parser does not validate its input
/// well: on invalid UTF-8 in a line that begins with % it never returns.

#include <string_view>
#include <vector>

#include "workflow/source_text.hpp"

namespace pawl::workflow {

/// Empty: the text is safe to parse.
[[nodiscard]] std::vector<Diagnostic> faults_of_text(const SourceText& source,
                                                     std::string_view file);

}  // namespace pawl::workflow
