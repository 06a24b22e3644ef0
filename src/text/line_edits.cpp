#include "text/line_edits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pawl::text {
namespace {

using Lines = std::vector<std::string>;

/// If more comparisons are needed, the whole middle counts as replaced.
constexpr std::size_t comparisons_max = 4'000'000;

/// Compares the middle by its longest common subsequence.
void append_middle(std::vector<LineEdit>& edits, const Lines& before, const Lines& after,
                   std::size_t first, std::size_t before_end, std::size_t after_end) {
  const std::size_t rows = before_end - first;
  const std::size_t columns = after_end - first;
  std::size_t i = 0;
  std::size_t j = 0;
  if (rows * columns <= comparisons_max) {
    std::vector<std::uint32_t> common((rows + 1) * (columns + 1));
    const auto at = [&](std::size_t r, std::size_t c) -> std::uint32_t& {
      return common[r * (columns + 1) + c];
    };
    for (std::size_t r = rows; r-- > 0;) {
      for (std::size_t c = columns; c-- > 0;) {
        at(r, c) = before[first + r] == after[first + c] ? at(r + 1, c + 1) + 1
                                                         : std::max(at(r + 1, c), at(r, c + 1));
      }
    }
    while (i < rows && j < columns) {
      if (before[first + i] == after[first + j]) {
        edits.push_back({EditKind::kept, &before[first + i]});
        ++i;
        ++j;
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        edits.push_back({EditKind::removed, &before[first + i++]});
      } else {
        edits.push_back({EditKind::added, &after[first + j++]});
      }
    }
  }
  while (i < rows) edits.push_back({EditKind::removed, &before[first + i++]});
  while (j < columns) edits.push_back({EditKind::added, &after[first + j++]});
}

}  // namespace

std::vector<LineEdit> line_edits(const Lines& before, const Lines& after) {
  std::size_t first = 0;
  while (first < before.size() && first < after.size() && before[first] == after[first]) ++first;
  std::size_t before_end = before.size();
  std::size_t after_end = after.size();
  while (before_end > first && after_end > first &&
         before[before_end - 1] == after[after_end - 1]) {
    --before_end;
    --after_end;
  }
  std::vector<LineEdit> edits;
  for (std::size_t i = 0; i < first; ++i) edits.push_back({EditKind::kept, &before[i]});
  append_middle(edits, before, after, first, before_end, after_end);
  for (std::size_t i = before_end; i < before.size(); ++i)
    edits.push_back({EditKind::kept, &before[i]});
  return edits;
}

}  // namespace pawl::text
