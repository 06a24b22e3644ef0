#pragma once

/// Makes a failing run as small as possible while it still fails in the same way.

#include "simulation/simulation.hpp"

namespace pawl::simulation {

struct Shrunk {
  Tape tape;
  RunOptions options;  ///< with as few steps as it needs
  int tries = 0;
};
[[nodiscard]] Shrunk shrink(Tape tape, const RunOptions& options, const Finding& finding,
                            std::uint64_t steps);

}  // namespace pawl::simulation
