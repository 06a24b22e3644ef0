#include "workflow/source_text.hpp"

#include <algorithm>

#include "text/utf8.hpp"

namespace pawl::workflow {
namespace {

constexpr std::size_t stride = 256;

}  // namespace

SourceText::SourceText(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);

  std::size_t characters = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text_.size(); ++at) {
    if (at % stride == 0) characters_.push_back(characters);
    if (text::begins_character(text_[at])) ++characters;
    const bool ends_later = text_[at] == '\r' && text_.substr(at + 1).starts_with('\n');
    if (text_[at] != '\n' && (text_[at] != '\r' || ends_later)) continue;
    const bool has_two = text_[at] == '\n' && at > begin && text_[at - 1] == '\r';
    lines_.push_back({.begin = begin, .end = has_two ? at - 1 : at});
    begin = at + 1;
  }
  if (begin < text_.size() || lines_.empty()) {
    lines_.push_back({.begin = begin, .end = text_.size()});
  }
  characters_.push_back(characters);
}

std::string_view SourceText::line(std::size_t number) const {
  if (number == 0 || number > lines_.size()) return {};
  const Line& line = lines_[number - 1];
  return text_.substr(line.begin, line.end - line.begin);
}

std::size_t SourceText::characters_before(std::size_t offset) const {
  if (offset >= text_.size()) return characters_.back();
  const std::size_t known = offset / stride;
  const std::string_view rest = text_.substr(known * stride, offset - known * stride);
  return characters_[known] + text::count_characters(rest);
}

Place SourceText::place(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, text_.size());
  const auto after = std::ranges::upper_bound(lines_, begin, {}, &Line::begin);
  const auto number = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, after - lines_.begin()));
  const Line& line = lines_[number - 1];
  const std::size_t before = characters_before(line.begin);
  const std::size_t column = characters_before(begin) - before + 1;
  const std::size_t end_column = characters_before(std::min(end, line.end)) - before + 1;
  return {.line = static_cast<std::uint32_t>(number),
          .column = static_cast<std::uint32_t>(column),
          .end_column = static_cast<std::uint32_t>(std::max(end_column, column + 1))};
}

std::size_t SourceText::offset(std::size_t line, std::size_t column) const {
  if (line == 0) return 0;
  if (line > lines_.size()) return text_.size();
  std::size_t at = lines_[line - 1].begin;
  for (std::size_t passed = 1; passed < column && at < lines_[line - 1].end; ++passed) {
    ++at;
    while (at < lines_[line - 1].end && !text::begins_character(text_[at])) ++at;
  }
  return at;
}

}  // namespace pawl::workflow
