// The random cases of this program are the same in every run. RC_PARAMS in the environment selects
// others: RC_PARAMS="seed=7 max_success=100000".

#include <cstdlib>

#include <gtest/gtest.h>

namespace pawl {
namespace {

class FixedSeed final : public testing::Environment {
  void SetUp() override { ::setenv("RC_PARAMS", "seed=20240607 max_success=500", 0); }
};

const testing::Environment* const fixed_seed =
    testing::AddGlobalTestEnvironment(new FixedSeed);  // gtest deletes it

}  // namespace
}  // namespace pawl
