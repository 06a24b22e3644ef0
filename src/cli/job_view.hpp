#pragma once

/// A job as people see it: one line, and a table of its stages.

#include <string>

#include "cli/render.hpp"
#include "pawl/core/job.hpp"
#include "pawl/store/records.hpp"

namespace pawl::cli {

/// "job 41  documents  running  812/1040 done  7 dead  18 waiting for review  $18.20/$25.00"
[[nodiscard]] std::string job_headline(const Job& job, const Style& style, const Times& times);

/// "completed", "waits for people", "failed (deadline passed)": the state, and where that does not
/// say it the cause.
[[nodiscard]] std::string state_in_words(const Job& job);

/// Stages and how many tasks are in which state; states that nothing is in are left out, but for
/// the usual ones.
[[nodiscard]] std::string stage_table(const Job& job, const Workflow& workflow, const Style& style);

/// How many tasks of a stage people are shown in each state. The dead and the reviews of fan-out
/// children count with their stage's, as they do in the headline.
[[nodiscard]] StateCounts counts_of_stage(const Job& job, const Workflow& workflow,
                                          StageIndex stage);

/// How many tasks of the job, fan-out children included, are in this state.
[[nodiscard]] std::int64_t tasks_in(const Job& job, StateKind state);

/// Nothing happens any more unless a person acts: ended, paused, or only reviews are left.
[[nodiscard]] bool stands_still(const Job& job);

/// Why an untrusted job is not worked on, with the way out.
[[nodiscard]] Error not_trusted(const Job& job);

/// The command that lets a paused job go on.
[[nodiscard]] std::string way_out_of_pause(const Job& job);

/// An error of the store with the commands of this program as the way out.
[[nodiscard]] Error with_commands(Error error, JobId job);

}  // namespace pawl::cli
