#include "workflow/source_text.hpp"

#include <algorithm>
#include <array>

namespace pawl::workflow {
namespace {

constexpr std::size_t stride = 256;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

struct Range {
  char32_t first;
  char32_t last;
};

bool is_in(char32_t code, const auto& ranges) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

constexpr std::array<Range, 13> unprintable{{{0x0000, 0x001F},
                                             {0x007F, 0x009F},
                                             {0x061C, 0x061C},
                                             {0x180E, 0x180E},
                                             {0x200B, 0x200B},
                                             {0x200E, 0x200F},
                                             {0x2028, 0x202E},
                                             {0x2060, 0x206F},
                                             {0xFEFF, 0xFEFF},
                                             {0xFFF9, 0xFFFB},
                                             {0x1BCA0, 0x1BCA3},
                                             {0x1D173, 0x1D17A},
                                             {0xE0000, 0xE007F}}};
// Combining marks, and joiners.
constexpr std::array<Range, 9> narrowest{{{0x0300, 0x036F},
                                          {0x0483, 0x0489},
                                          {0x0591, 0x05BD},
                                          {0x064B, 0x065F},
                                          {0x1AB0, 0x1AFF},
                                          {0x200B, 0x200F},
                                          {0x20D0, 0x20FF},
                                          {0xFE00, 0xFE0F},
                                          {0xFE20, 0xFE2F}}};
// Wide East Asian characters, and emoji.
constexpr std::array<Range, 9> widest{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1FAFF}}};

}  // namespace

Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {.code = lead, .bytes = 1};

  const Character broken{.code = U'\uFFFD', .bytes = 1, .is_valid = false};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return broken;
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return broken;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (is_overlong || is_surrogate || code > 0x10FFFF) return broken;
  return {.code = code, .bytes = length};
}

bool is_unprintable(char32_t code) {
  const bool is_plain = code >= 0x20 && code < 0x7F;
  return !is_plain && is_in(code, unprintable);
}

std::uint32_t columns_of(char32_t code) {
  if (code < 0x300) return 1;
  if (is_in(code, narrowest)) return 0;
  return is_in(code, widest) || (code >= 0x20000 && code <= 0x3FFFD) ? 2 : 1;
}

SourceText::SourceText(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);

  std::size_t characters = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text_.size(); ++at) {
    if (at % stride == 0) characters_.push_back(characters);
    if (begins_character(text_[at])) ++characters;
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
  return characters_[known] +
         static_cast<std::size_t>(std::ranges::count_if(rest, begins_character));
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
    while (at < lines_[line - 1].end && !begins_character(text_[at])) ++at;
  }
  return at;
}

}  // namespace pawl::workflow
