// expect: could not convert|cannot convert|no known conversion|no viable conversion
#include "pawl/core/ids.hpp"

int main() {
  const pawl::AttemptId attempt{pawl::ItemId{1}, 1};
  return attempt.number == 1 ? 0 : 1;
}
