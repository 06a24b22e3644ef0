#pragma once

/// Shows a job: one line, and a table of its stages.

#include <string>
#include <vector>

#include "cli/output/render.hpp"
#include "pawl/core/job.hpp"
#include "pawl/store/records.hpp"
#include "views/job_errors.hpp"
#include "views/jobs.hpp"

namespace pawl::cli {

/// "job 41  documents  running  812/1040 done  7 dead  18 waiting for review  $18.20/$25.00"
[[nodiscard]] std::string job_headline(const Job& job, const Style& style, const Times& times);

/// "completed", "waits for people", "failed (deadline passed)": the state, with its cause if the
/// state alone does not show it.
[[nodiscard]] std::string state_in_words(const Job& job);

/// The number of tasks of each stage by state. States without tasks are left out, except for the
/// usual ones.
[[nodiscard]] std::string stage_table(const Job& job, const Workflow& workflow, const Style& style);

using views::counts_of_stage;
using views::not_trusted;
using views::stands_still;
using views::tasks_in;
using views::with_commands;

/// Why a job is paused, and the command that continues it.
[[nodiscard]] std::string way_out_of_pause(const Job& job);

/// For each paused stage of an unfinished job, a line with the command that resumes it.
[[nodiscard]] std::vector<std::string> ways_out_of_stage_pauses(const Job& job,
                                                                const Workflow& workflow);

}  // namespace pawl::cli
