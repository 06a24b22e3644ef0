#pragma once

/// Shows a job: one line, and a table of its stages.

#include <string>

#include "cli/output/render.hpp"
#include "pawl/core/job.hpp"
#include "pawl/store/records.hpp"

namespace pawl::cli {

/// "job 41  documents  running  812/1040 done  7 dead  18 waiting for review  $18.20/$25.00"
[[nodiscard]] std::string job_headline(const Job& job, const Style& style, const Times& times);

/// "completed", "waits for people", "failed (deadline passed)": the state, with its cause if the
/// state alone does not show it.
[[nodiscard]] std::string state_in_words(const Job& job);

/// The number of tasks of each stage by state. States without tasks are left out, except for the
/// usual ones.
[[nodiscard]] std::string stage_table(const Job& job, const Workflow& workflow, const Style& style);

/// The number of tasks of a stage in each state, as shown. Dead letters and reviews of fan-out
/// children count for their stage, as in the headline.
[[nodiscard]] StateCounts counts_of_stage(const Job& job, const Workflow& workflow,
                                          StageIndex stage);

/// The number of tasks of the job in this state, including fan-out children.
[[nodiscard]] std::int64_t tasks_in(const Job& job, StateKind state);

/// Whether nothing happens until a person acts: ended, paused, or only reviews are left.
[[nodiscard]] bool stands_still(const Job& job);

/// The error for work on an untrusted job; its help names the command that accepts it.
[[nodiscard]] Error not_trusted(const Job& job);

/// Why a job is paused, and the command that continues it.
[[nodiscard]] std::string way_out_of_pause(const Job& job);

/// An error of the store, with a help line that names commands of this program.
[[nodiscard]] Error with_commands(Error error, JobId job);

}  // namespace pawl::cli
