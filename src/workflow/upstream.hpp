#pragma once

/// Which stages a stage needs, directly or through others.

#include <cstddef>
#include <vector>

#include "core/workflow_cycles.hpp"
#include "workflow/draft.hpp"

namespace pawl::workflow {

/// For one thread: the answer about the last stage is kept.
class Upstream {
 public:
  /// `file` must outlive this; its needs are settled.
  explicit Upstream(const FileDraft& file);

  /// Whether `stage` needs `other`. Needs that could not be read may name anything.
  [[nodiscard]] bool needs(const StageDraft& stage, const StageDraft& other);
  /// The needs of each stage, by place.
  [[nodiscard]] const NeedGraph& graph() const { return graph_; }

 private:
  void gather(std::size_t stage);
  [[nodiscard]] std::size_t place_of(const StageDraft& stage) const;

  const FileDraft& file_;
  NeedGraph graph_;
  const StageDraft* asked_ = nullptr;
  std::vector<bool> is_upstream_;  ///< of `asked_`
  bool is_open_ = false;           ///< some needs of `asked_` could not be read
};

}  // namespace pawl::workflow
