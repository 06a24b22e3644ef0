// expect: error: ignoring return value of .*nodiscard
#include "pawl/core/result.hpp"

namespace {

[[nodiscard]] pawl::Result<int> answer() { return 42; }

}  // namespace

int main() { answer(); }
