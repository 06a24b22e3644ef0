#include "core/workflow_cycles.hpp"

#include <algorithm>

namespace pawl {
namespace {

/// Rules out every stage that is not part of a cycle and does not depend on one.
void rule_out(const NeedGraph& needs, std::vector<bool>& is_ruled_out) {
  std::vector<std::vector<std::size_t>> dependents(needs.size());
  std::vector<std::size_t> open(needs.size(), 0);
  std::vector<std::size_t> next;
  for (std::size_t stage = 0; stage < needs.size(); ++stage) {
    if (is_ruled_out[stage]) continue;
    for (const std::size_t need : needs[stage]) {
      if (is_ruled_out[need]) continue;
      ++open[stage];
      dependents[need].push_back(stage);
    }
    if (open[stage] == 0) next.push_back(stage);
  }
  while (!next.empty()) {
    const std::size_t stage = next.back();
    next.pop_back();
    is_ruled_out[stage] = true;
    for (const std::size_t dependent : dependents[stage]) {
      if (--open[dependent] == 0) next.push_back(dependent);
    }
  }
}

/// Follows needs that are not ruled out until a stage repeats. Every stage that is not ruled out
/// has such a need.
std::vector<std::size_t> cycle_from(const NeedGraph& needs, const std::vector<bool>& is_ruled_out,
                                    std::size_t start) {
  std::vector<std::size_t> path;
  std::vector<bool> on_path(needs.size(), false);
  std::size_t stage = start;
  while (!on_path[stage]) {
    on_path[stage] = true;
    path.push_back(stage);
    stage =
        *std::ranges::find_if(needs[stage], [&](std::size_t need) { return !is_ruled_out[need]; });
  }
  path.erase(path.begin(), std::ranges::find(path, stage));
  std::ranges::rotate(path, std::ranges::min_element(path));
  return path;
}

}  // namespace

std::vector<std::vector<std::size_t>> cycles_of(const NeedGraph& needs) {
  std::vector<std::vector<std::size_t>> cycles;
  std::vector<bool> is_ruled_out(needs.size(), false);
  while (true) {
    rule_out(needs, is_ruled_out);
    const auto start = std::ranges::find(is_ruled_out, false);
    if (start == is_ruled_out.end()) return cycles;
    cycles.push_back(
        cycle_from(needs, is_ruled_out, static_cast<std::size_t>(start - is_ruled_out.begin())));
    for (const std::size_t stage : cycles.back()) is_ruled_out[stage] = true;
  }
}

bool is_upstream(const NeedGraph& needs, std::size_t other, std::size_t stage) {
  std::vector<bool> seen(needs.size(), false);
  std::vector<std::size_t> next = needs[stage];
  while (!next.empty()) {
    const std::size_t it = next.back();
    next.pop_back();
    if (it == other) return true;
    if (seen[it]) continue;
    seen[it] = true;
    next.insert(next.end(), needs[it].begin(), needs[it].end());
  }
  return false;
}

}  // namespace pawl
