#include "workflow/upstream.hpp"

#include <utility>

namespace pawl::workflow {

Upstream::Upstream(const FileDraft& file) : file_(file) {
  graph_.reserve(file.stages.size());
  for (const StageDraft& stage : file.stages) {
    std::vector<std::size_t> needs;
    for (const std::string& need : stage.definition.needs) {
      if (const StageDraft* const other = file.find_stage(need)) needs.push_back(place_of(*other));
    }
    graph_.push_back(std::move(needs));
  }
}

std::size_t Upstream::place_of(const StageDraft& stage) const {
  return static_cast<std::size_t>(&stage - file_.stages.data());
}

bool Upstream::needs(const StageDraft& stage, const StageDraft& other) {
  if (asked_ != &stage) {
    asked_ = &stage;
    gather(place_of(stage));
  }
  return is_open_ || is_upstream_[place_of(other)];
}

void Upstream::gather(std::size_t stage) {
  is_open_ = false;
  is_upstream_.assign(graph_.size(), false);
  std::vector<std::size_t> open{stage};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    is_open_ = is_open_ || !file_.stages[at].are_needs_known;
    for (const std::size_t need : graph_[at]) {
      if (is_upstream_[need]) continue;
      is_upstream_[need] = true;
      open.push_back(need);
    }
  }
}

}  // namespace pawl::workflow
