#include "views/line_diff.hpp"

#include <algorithm>

#include "text/line_edits.hpp"
#include "views/escaped_text.hpp"

namespace pawl::views {
namespace {

using text::EditKind;
using text::LineEdit;

constexpr std::size_t context = 3;

DiffLine::Kind kind_of(EditKind kind) {
  switch (kind) {
    case EditKind::kept:
      return DiffLine::Kind::kept;
    case EditKind::removed:
      return DiffLine::Kind::removed;
    case EditKind::added:
      return DiffLine::Kind::added;
  }
  return DiffLine::Kind::kept;
}

/// Which edits are near a change.
std::vector<bool> near_a_change(const std::vector<LineEdit>& edits) {
  std::vector<bool> is_near(edits.size(), false);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].kind == EditKind::kept) continue;
    const std::size_t from = i > context ? i - context : 0;
    const std::size_t to = std::min(edits.size(), i + context + 1);
    for (std::size_t near = from; near < to; ++near) is_near[near] = true;
  }
  return is_near;
}

}  // namespace

std::vector<DiffLine> line_diff(const std::vector<std::string>& before,
                                const std::vector<std::string>& after) {
  std::vector<DiffLine> diff;
  if (before == after) return diff;
  const std::vector<LineEdit> edits = text::line_edits(before, after);
  const std::vector<bool> is_shown = near_a_change(edits);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (is_shown[i]) {
      diff.push_back({.kind = kind_of(edits[i].kind), .line = edits[i].line});
    } else if (i == 0 || is_shown[i - 1]) {
      diff.push_back({.kind = DiffLine::Kind::left_out});
    }
  }
  return diff;
}

std::string in_words(const std::vector<DiffLine>& diff) {
  std::string out;
  for (const DiffLine& one : diff) {
    switch (one.kind) {
      case DiffLine::Kind::kept:
        out += " " + printable(*one.line);
        break;
      case DiffLine::Kind::removed:
        out += "-" + printable(*one.line);
        break;
      case DiffLine::Kind::added:
        out += "+" + printable(*one.line);
        break;
      case DiffLine::Kind::left_out:
        out += "…";
        break;
    }
    out += '\n';
  }
  return out;
}

}  // namespace pawl::views
