#pragma once

/// Replay of a real job's record against the code of today; see "pawl/store/replay.hpp".
///
///   const Replay replayed = pawl::testing::replay(store->records(), job, documents);
///   EXPECT_TRUE(replayed.same()) << text_of(replayed);

#include "pawl/runtime/program.hpp"
#include "pawl/store/replay.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::testing {

/// With the custom deciders of the program. Throws std::logic_error where there is no such job.
[[nodiscard]] Replay replay(Records& records, JobId job, const Program& today);
[[nodiscard]] Replay replay(Records& records, JobId job, const WorkflowFile& today);

}  // namespace pawl::testing
