#pragma once

/// Runs simulated worlds, one for each seed, and stops at the first broken invariant: prints the
/// seed, the finding, and the smallest run that shows it.

#include <string>
#include <vector>

namespace pawl::simulation {

/// The program; returns its exit code. 0: nothing was found; 1: something was; 2: usage error. With
/// --broken it is the other way round: the program has a deliberate fault that must be found.
[[nodiscard]] int simulate_as_told(const std::vector<std::string>& words);

}  // namespace pawl::simulation
