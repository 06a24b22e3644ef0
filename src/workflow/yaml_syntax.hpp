#pragma once

/// The YAML parser's complaints, said for people who write workflow files.

#include <cstddef>
#include <optional>
#include <string_view>

#include "workflow/source_text.hpp"

namespace pawl::workflow {

struct ParserComplaint {
  std::string_view message;  ///< the parser's own words
  std::size_t line = 0;
  std::size_t column = 0;
  std::optional<std::size_t> open_bracket;  ///< where the innermost open [ or { stands, in bytes
};

[[nodiscard]] Diagnostic explain_complaint(const ParserComplaint& complaint,
                                           const SourceText& source);

}  // namespace pawl::workflow
