// expect: could not convert|cannot convert|no known conversion|no viable conversion
#include "pawl/core/ids.hpp"

namespace {

bool is_first(pawl::JobId job) { return job == pawl::JobId{1}; }

}  // namespace

int main() { return is_first(pawl::TaskId{1}) ? 0 : 1; }
