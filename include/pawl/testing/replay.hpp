#pragma once

/// Replays the record of a real job against today's code; see "pawl/store/replay.hpp".
///
///   const Replay replayed = pawl::testing::replay(store->records(), job, documents);
///   EXPECT_TRUE(replayed.same()) << text_of(replayed);
///
/// A job from another machine is read from the file that `pawl export` wrote:
///
///   const Replay replayed = pawl::testing::replay_export("job-41.jsonl", documents);

#include <filesystem>

#include "pawl/runtime/program.hpp"
#include "pawl/store/replay.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::testing {

/// Uses the custom deciders of the program. Throws std::logic_error if there is no such job.
[[nodiscard]] Replay replay(Records& records, JobId job, const Program& today);
[[nodiscard]] Replay replay(Records& records, JobId job, const WorkflowFile& today);

/// The same for a file that `pawl export` or `export_job` wrote; the file is only read. Throws
/// std::logic_error if the export is incomplete or its records violate an invariant.
[[nodiscard]] Replay replay_export(const std::filesystem::path& file, const Program& today);
[[nodiscard]] Replay replay_export(const std::filesystem::path& file, const WorkflowFile& today);

}  // namespace pawl::testing
