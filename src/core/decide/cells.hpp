#pragma once

/// Complete, review or fail: the thirty cases as a table.

#include <array>

#include "pawl/core/attempt.hpp"
#include "pawl/core/policy.hpp"

namespace pawl {

/// How the work of an epoch ended.
enum class Ending : std::uint8_t { accepted, uncertain, exhausted };

struct Cell {
  Ending ending;
  OnExhausted on_exhausted;
  ReviewPolicy policy;
  DecisionKind kind;    ///< complete, review or fail
  ReviewReason reason;  ///< used for reviews only
};

[[nodiscard]] const std::array<Cell, 30>& cells();

/// The cell for this combination.
[[nodiscard]] const Cell& cell_for(Ending ending, OnExhausted on_exhausted, ReviewPolicy policy);

}  // namespace pawl
