#pragma once

/// What the stages of a job need of this machine: secrets, scripts and programs.

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "cli/session.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/core/job.hpp"

namespace pawl::cli {

/// "the secret KEY is not set here"
[[nodiscard]] std::string in_words(const MissingNeed& need);

/// Whether this process has what the workflow's stages need; with a job, only stages count that
/// have not ended for all items. `refused` lists the secrets that are not set, and the missing
/// scripts of stages that could start at once. A script that an earlier stage may still make, and a
/// program that is not in PATH, is a warning on stderr.
[[nodiscard]] Status check_needs(Session& session, const Workflow& workflow,
                                 const std::filesystem::path& directory, const Job* job = nullptr);

/// The stages of the job that this process leaves to others as things are now, and why.
using LeftStages = std::map<std::string, std::string>;
[[nodiscard]] LeftStages left_stages(const Workflow& workflow, const Job& job);

/// Whether everything that can go on in the job is in stages that this process does not run, and
/// there is such a stage. Judged from the counters of one row, so that no claim in between goes
/// unseen.
[[nodiscard]] bool is_left_to_others(const Job& job, const Workflow& workflow,
                                     const std::function<bool(const std::string& stage)>& runs);

}  // namespace pawl::cli
