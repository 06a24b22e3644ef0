#pragma once

/// Translates the messages of the YAML parser for authors of workflow files.

#include <cstddef>
#include <optional>
#include <string_view>

#include "workflow/source_text.hpp"

namespace pawl::workflow {

struct ParserComplaint {
  std::string_view message;  ///< the parser's text
  std::size_t line = 0;
  std::size_t column = 0;
  std::optional<std::size_t> open_bracket;  ///< the byte offset of the innermost open [ or {
};

[[nodiscard]] Diagnostic explain_complaint(const ParserComplaint& complaint,
                                           const SourceText& source);

}  // namespace pawl::workflow
