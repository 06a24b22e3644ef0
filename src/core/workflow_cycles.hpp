#pragma once

/// Finds cycles among the needs of a definition that may still have faults.

#include <cstddef>
#include <vector>

namespace pawl {

/// The indexes of the stages that each stage needs.
using NeedGraph = std::vector<std::vector<std::size_t>>;

/// At least one cycle of every strongly connected group of stages. A cycle follows the needs, lists
/// each stage once, and starts with the stage that is defined first. Empty if there is no cycle.
[[nodiscard]] std::vector<std::vector<std::size_t>> cycles_of(const NeedGraph& needs);

/// Whether `stage` needs `other`, directly or through others.
[[nodiscard]] bool is_upstream(const NeedGraph& needs, std::size_t other, std::size_t stage);

}  // namespace pawl
