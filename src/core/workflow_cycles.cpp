#include "core/workflow_cycles.hpp"

#include <algorithm>

namespace pawl {
namespace {

/// Marks every stage that is not part of a cycle and does not depend on one.
void settle(const NeedGraph& needs, std::vector<bool>& is_settled) {
  std::vector<std::vector<std::size_t>> dependents(needs.size());
  std::vector<std::size_t> open(needs.size(), 0);
  std::vector<std::size_t> next;
  for (std::size_t stage = 0; stage < needs.size(); ++stage) {
    if (is_settled[stage]) continue;
    for (const std::size_t need : needs[stage]) {
      if (is_settled[need]) continue;
      ++open[stage];
      dependents[need].push_back(stage);
    }
    if (open[stage] == 0) next.push_back(stage);
  }
  while (!next.empty()) {
    const std::size_t stage = next.back();
    next.pop_back();
    is_settled[stage] = true;
    for (const std::size_t dependent : dependents[stage]) {
      if (--open[dependent] == 0) next.push_back(dependent);
    }
  }
}

/// Follows unsettled needs until a stage repeats. Every unsettled stage has such a need.
std::vector<std::size_t> cycle_from(const NeedGraph& needs, const std::vector<bool>& is_settled,
                                    std::size_t start) {
  std::vector<std::size_t> path;
  std::vector<bool> on_path(needs.size(), false);
  std::size_t stage = start;
  while (!on_path[stage]) {
    on_path[stage] = true;
    path.push_back(stage);
    stage =
        *std::ranges::find_if(needs[stage], [&](std::size_t need) { return !is_settled[need]; });
  }
  path.erase(path.begin(), std::ranges::find(path, stage));
  std::ranges::rotate(path, std::ranges::min_element(path));
  return path;
}

}  // namespace

std::vector<std::vector<std::size_t>> cycles_of(const NeedGraph& needs) {
  std::vector<std::vector<std::size_t>> cycles;
  std::vector<bool> is_settled(needs.size(), false);
  while (true) {
    settle(needs, is_settled);
    const auto start = std::ranges::find(is_settled, false);
    if (start == is_settled.end()) return cycles;
    cycles.push_back(
        cycle_from(needs, is_settled, static_cast<std::size_t>(start - is_settled.begin())));
    for (const std::size_t stage : cycles.back()) is_settled[stage] = true;
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
