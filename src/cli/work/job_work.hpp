#pragma once

/// Works on one job, for `pawl run` and `pawl resume`.

#include "cli/work/worker.hpp"

namespace pawl::cli {

/// Works on the job until it has ended, is paused or waits only for reviewers, shows its progress
/// and reports its end. Returns the exit code: that of the job, or `exit_interrupted`.
[[nodiscard]] int work_on_job(Worker& worker, JobId job);

}  // namespace pawl::cli
