#pragma once

/// Replay of a real job's record against the code of today; see "pawl/store/replay.hpp".
///
///   const Replay replayed = pawl::testing::replay(store->records(), job, documents);
///   EXPECT_TRUE(replayed.same()) << text_of(replayed);
///
/// A job of another machine comes as the file that `pawl export` wrote:
///
///   const Replay replayed = pawl::testing::replay_export("job-41.jsonl", documents);

#include <filesystem>

#include "pawl/runtime/program.hpp"
#include "pawl/store/replay.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::testing {

/// With the custom deciders of the program. Throws std::logic_error where there is no such job.
[[nodiscard]] Replay replay(Records& records, JobId job, const Program& today);
[[nodiscard]] Replay replay(Records& records, JobId job, const WorkflowFile& today);

/// The same of a file that `pawl export` or `export_job` wrote; the file is only read. Throws
/// std::logic_error where it is no whole export, or where its record breaks a promise.
[[nodiscard]] Replay replay_export(const std::filesystem::path& file, const Program& today);
[[nodiscard]] Replay replay_export(const std::filesystem::path& file, const WorkflowFile& today);

}  // namespace pawl::testing
