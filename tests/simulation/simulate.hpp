#pragma once

/// Runs simulated worlds, one seed each, and stops at the first broken invariant: the seed, what
/// was found, and the smallest run that shows it.

#include <string>
#include <vector>

namespace pawl::simulation {

/// The program: answers its exit code. 0: nothing was found; 1: something was; 2: not understood.
/// With --broken the other way round: the program is broken on purpose and has to be caught.
[[nodiscard]] int simulate_as_told(const std::vector<std::string>& words);

}  // namespace pawl::simulation
