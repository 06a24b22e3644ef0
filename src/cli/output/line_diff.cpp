#include "cli/output/line_diff.hpp"

#include <algorithm>

#include "text/line_edits.hpp"

namespace pawl::cli {
namespace {

using text::EditKind;
using text::LineEdit;

constexpr std::size_t context = 3;

std::string drawn(const LineEdit& edit, const Style& style) {
  switch (edit.kind) {
    case EditKind::kept:
      return " " + printable(*edit.line);
    case EditKind::removed:
      return style.paint(Paint::red, "-" + printable(*edit.line));
    case EditKind::added:
      return style.paint(Paint::green, "+" + printable(*edit.line));
  }
  return {};
}

}  // namespace

std::string line_diff(const std::vector<std::string>& before, const std::vector<std::string>& after,
                      const Style& style) {
  if (before == after) return {};
  const std::vector<LineEdit> edits = text::line_edits(before, after);
  std::vector<bool> is_shown(edits.size(), false);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].kind == EditKind::kept) continue;
    const std::size_t from = i > context ? i - context : 0;
    const std::size_t to = std::min(edits.size(), i + context + 1);
    for (std::size_t near = from; near < to; ++near) is_shown[near] = true;
  }
  std::string out;
  bool was_left_out = false;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!is_shown[i]) {
      was_left_out = true;
      continue;
    }
    if (was_left_out) out += style.paint(Paint::dim, "…") + "\n";
    was_left_out = false;
    out += drawn(edits[i], style) + "\n";
  }
  if (was_left_out) out += style.paint(Paint::dim, "…") + "\n";
  return out;
}

}  // namespace pawl::cli
