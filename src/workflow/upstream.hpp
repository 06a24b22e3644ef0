#pragma once

/// Finds which stages a stage needs, directly or indirectly.

#include <cstddef>
#include <vector>

#include "core/workflow_cycles.hpp"
#include "workflow/draft.hpp"

namespace pawl::workflow {

/// Not thread-safe: the answer about the last stage is cached.
class Upstream {
 public:
  /// `file` must outlive this object, and its needs must be resolved (`resolve_needs`).
  explicit Upstream(const FileDraft& file);

  /// Whether `stage` needs `other`, directly or indirectly. True if some of its needs could not be
  /// read, because those could be any stage.
  [[nodiscard]] bool needs(const StageDraft& stage, const StageDraft& other);
  /// The needs of each stage, by index.
  [[nodiscard]] const NeedGraph& graph() const { return graph_; }

 private:
  void gather(std::size_t stage);
  [[nodiscard]] std::size_t place_of(const StageDraft& stage) const;

  const FileDraft& file_;
  NeedGraph graph_;
  const StageDraft* asked_ = nullptr;
  std::vector<bool> is_upstream_;  ///< for `asked_`, by index
  bool is_open_ = false;           ///< true: some needs of `asked_` could not be read
};

}  // namespace pawl::workflow
