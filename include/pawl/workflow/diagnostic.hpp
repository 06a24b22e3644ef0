#pragma once

/// Diagnostics of workflow files: what is wrong, where, and what to do. Every code has an
/// explanation (`pawl explain CODE`) and never changes its meaning.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/json.hpp"

namespace pawl {

/// A position in a text. Lines and columns count from 1. Columns count characters, and `end_column`
/// is the column after the last one. Line 0: the file as a whole.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// A replacement for the marked text that an editor can offer.
struct Suggestion {
  std::string replace;
  std::string with;
  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

enum class Severity : std::uint8_t { error, warning };

struct Diagnostic {
  std::string code;  ///< "E012"; warnings begin with W
  Severity severity = Severity::error;
  std::string message;  ///< no stage "pdf_to_markdwn"
  std::string file;
  Place place;
  std::string help;  ///< what to do: did you mean "pdf_to_markdown"?
  std::optional<Suggestion> suggestion;
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Formats diagnostics as a compiler does: code, message, file:line:column, the line with a caret
/// under the position, help. `source` is the text of the file. Adds no summary.
[[nodiscard]] std::string render(std::span<const Diagnostic> diagnostics, std::string_view source,
                                 bool colour = false);

/// {code,severity,message,file,line,column,end_column,help,suggestion:{replace,with}|null}
[[nodiscard]] Json diagnostic_document(const Diagnostic& diagnostic);

/// The explanation of a code.
struct CodeStory {
  std::string_view code;
  std::string_view title;  ///< one line
  std::string_view story;  ///< why it is wrong and how to fix it, with an example
};
/// Null if there is no such code.
[[nodiscard]] const CodeStory* find_code(std::string_view code);
/// The codes of the checker.
[[nodiscard]] std::span<const CodeStory> all_codes();
/// The codes for commands that could not be started.
[[nodiscard]] std::span<const CodeStory> runtime_codes();

}  // namespace pawl
