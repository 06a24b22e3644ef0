// The correct version of the other cases. This one must compile.
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"

namespace {

bool is_first(pawl::JobId job) { return job == pawl::JobId{1}; }

bool is_first(pawl::AttemptId attempt) { return attempt.number == 1; }

[[nodiscard]] pawl::Result<int> answer() { return 42; }

}  // namespace

int main() {
  const pawl::JobId job{1};
  const pawl::ItemId item{1};
  const pawl::TaskId task{1};
  const pawl::AttemptId attempt{task, 1};
  const bool all_first =
      is_first(attempt) && is_first(job) && item == pawl::ItemId{1} && task == pawl::TaskId{1};
  const pawl::Result<int> kept = answer();
  return all_first && kept.has_value() ? 0 : 1;
}
