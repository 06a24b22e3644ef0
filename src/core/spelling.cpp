#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "pawl/core/workflow.hpp"

namespace pawl {
namespace {

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Counts insertions, deletions, replacements and swaps of neighbours, ignoring case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lowered(a[i - 1]) == lowered(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lowered(a[i - 1]) == lowered(b[j - 2]) &&
                           lowered(a[i - 2]) == lowered(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  // Allows a third of the letters to be wrong: at least one, and never all of them.
  const std::size_t most = std::max<std::size_t>(1, name.size() / 3);
  std::string nearest;
  std::size_t best = most + 1;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t shorter = std::min(name.size(), candidate.size());
    if (candidate.empty() || longer - shorter > most) continue;
    const std::size_t d = distance(name, candidate);
    if (d < best && d < shorter) {
      best = d;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace pawl
