#pragma once

/// Review or fail: the thirty cells, as data.

#include <array>

#include "pawl/core/attempt.hpp"
#include "pawl/core/policy.hpp"

namespace pawl {

/// How the work of an epoch came out.
enum class Ending : std::uint8_t { accepted, uncertain, exhausted };

struct Cell {
  Ending ending;
  OnExhausted on_exhausted;
  ReviewPolicy policy;
  DecisionKind kind;    ///< complete, review or fail
  ReviewReason reason;  ///< means something for review only
};

[[nodiscard]] const std::array<Cell, 30>& cells();

/// The one cell for these three.
[[nodiscard]] const Cell& cell_for(Ending ending, OnExhausted on_exhausted, ReviewPolicy policy);

}  // namespace pawl
