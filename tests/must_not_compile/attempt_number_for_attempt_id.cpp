// expect: could not convert|cannot convert|no known conversion|no viable conversion
#include "pawl/core/ids.hpp"

namespace {

bool is_first(pawl::AttemptId attempt) { return attempt.number == 1; }

}  // namespace

int main() { return is_first(pawl::AttemptNumber{1}) ? 0 : 1; }
