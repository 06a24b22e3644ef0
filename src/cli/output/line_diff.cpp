#include "cli/output/line_diff.hpp"

#include "views/line_diff.hpp"

namespace pawl::cli {

using views::DiffLine;

std::string line_diff(const std::vector<std::string>& before, const std::vector<std::string>& after,
                      const Style& style) {
  std::string out;
  for (const DiffLine& one : views::line_diff(before, after)) {
    switch (one.kind) {
      case DiffLine::Kind::kept:
        out += " " + printable(*one.line);
        break;
      case DiffLine::Kind::removed:
        out += style.paint(Paint::red, "-" + printable(*one.line));
        break;
      case DiffLine::Kind::added:
        out += style.paint(Paint::green, "+" + printable(*one.line));
        break;
      case DiffLine::Kind::left_out:
        out += style.paint(Paint::dim, "…");
        break;
    }
    out += "\n";
  }
  return out;
}

}  // namespace pawl::cli
