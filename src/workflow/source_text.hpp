#pragma once

/// A text by lines and characters, for saying and showing where something stands.
///
/// Lines end with \n, \r\n or a lone \r, as YAML has it. A byte order mark at the start is not part
/// of the text.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pawl/workflow/diagnostic.hpp"

namespace pawl::workflow {

/// One character read from UTF-8; `bytes` is 0 at the end. A broken one is a single byte.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
  bool is_valid = true;
};
[[nodiscard]] Character first_character(std::string_view text);

/// Characters that a terminal obeys instead of showing them, or that hide what a text says: control
/// characters, changes of the writing direction, line separators, tags, and invisible formatting.
/// The joiners that scripts and emoji need (U+200C, U+200D) are not among them.
[[nodiscard]] bool is_unprintable(char32_t code);

/// How many columns of a terminal it takes: 0, 1 or 2.
[[nodiscard]] std::uint32_t columns_of(char32_t code);

class SourceText {
 public:
  /// The text must outlive this.
  explicit SourceText(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t line_count() const { return lines_.size(); }
  /// Counted from 1, without its end; empty when there is no such line.
  [[nodiscard]] std::string_view line(std::size_t number) const;
  /// Bytes from `begin` to `end`, cut at the end of the line where it begins; at least one column.
  /// Takes the same time wherever it is.
  [[nodiscard]] Place place(std::size_t begin, std::size_t end) const;
  /// The byte at a line and a column, both from 1; the nearest one inside the text.
  [[nodiscard]] std::size_t offset(std::size_t line, std::size_t column) const;

 private:
  struct Line {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] std::size_t characters_before(std::size_t offset) const;

  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<std::size_t> characters_;  ///< before every 256th byte
};

}  // namespace pawl::workflow
