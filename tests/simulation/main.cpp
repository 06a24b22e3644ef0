#include "simulation/simulate.hpp"

int main(int count, char** words) {
  return pawl::simulation::simulate_as_told({words + 1, words + count});
}
