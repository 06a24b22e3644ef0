#pragma once

/// A text by lines and characters, to locate and display parts of it.
///
/// Lines end with \n, \r\n or a lone \r, as in YAML. A byte order mark at the start is not part of
/// the text.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pawl/workflow/diagnostic.hpp"

namespace pawl::workflow {

class SourceText {
 public:
  /// `text` must outlive this object.
  explicit SourceText(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t line_count() const { return lines_.size(); }
  /// Lines count from 1; the result has no line end. Empty if there is no such line.
  [[nodiscard]] std::string_view line(std::size_t number) const;
  /// The place of the bytes from `begin` to `end`, cut at the end of the first line; at least one
  /// column. Takes constant time.
  [[nodiscard]] Place place(std::size_t begin, std::size_t end) const;
  /// The byte offset of a line and column, both from 1; the nearest one inside the text.
  [[nodiscard]] std::size_t offset(std::size_t line, std::size_t column) const;

 private:
  struct Line {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] std::size_t characters_before(std::size_t offset) const;

  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<std::size_t> characters_;  ///< number of characters before every 256th byte
};

}  // namespace pawl::workflow
