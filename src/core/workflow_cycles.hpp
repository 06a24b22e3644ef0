#pragma once

/// Cycles among the needs of a definition that may still be faulty.

#include <cstddef>
#include <vector>

namespace pawl {

/// For each stage the stages it needs, by place.
using NeedGraph = std::vector<std::vector<std::size_t>>;

/// At least one cycle of every knot, each stage once, following the needs and starting with the
/// stage that is defined first. Empty when the graph has an order.
[[nodiscard]] std::vector<std::vector<std::size_t>> cycles_of(const NeedGraph& needs);

/// Whether `stage` needs `other`, directly or through others.
[[nodiscard]] bool is_upstream(const NeedGraph& needs, std::size_t other, std::size_t stage);

}  // namespace pawl
