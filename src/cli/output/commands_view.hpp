#pragma once

/// Shows every command that a job would run, to a person who decides whether to trust it.

#include <string>

#include "pawl/core/job.hpp"
#include "views/jobs.hpp"

namespace pawl::cli {

/// From the pinned definition and the job's labels: commands, scripts, gates, conditions,
/// variables, directories. Control characters are made visible.
[[nodiscard]] std::string commands_text(const Job& job, const Workflow& workflow);
/// The same as JSON.
using views::commands_document;

}  // namespace pawl::cli
