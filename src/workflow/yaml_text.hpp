#pragma once

/// What is refused before the text reaches the YAML parser, which trusts its input too much: on
/// broken UTF-8 in a line that begins with % it never returns.

#include <string_view>
#include <vector>

#include "workflow/source_text.hpp"

namespace pawl::workflow {

/// Empty: the parser may see the text.
[[nodiscard]] std::vector<Diagnostic> faults_of_text(const SourceText& source,
                                                     std::string_view file);

}  // namespace pawl::workflow
