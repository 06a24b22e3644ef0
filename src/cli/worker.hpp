#pragma once

/// Runs an engine on the store and shows its progress, until nothing is left to do or somebody
/// stops it.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "cli/session.hpp"
#include "cli/signals.hpp"

namespace pawl::cli {

struct WorkOrder {
  JobId job;                   ///< only this job, with its progress; none: every job of the store
  std::uint32_t parallel = 0;  ///< attempts at the same time; 0: the default
  std::set<std::string> stages = {};
  std::set<std::string> categories = {};
  Duration lease = {};          ///< zero: the default of the engine
  bool keep_running = false;    ///< past the lease, although others may run the same task
  std::int64_t file_quota = 0;  ///< maximum bytes of the files of one attempt; zero: the default
  bool until_idle = true;       ///< ends when only reviewers can continue; false: when stopped
};

/// Checks the PostgreSQL server of the store, if the store is on one. `refused` lists everything
/// that prevents work. Warnings go to stderr. `fallback` as for `Session::project`.
[[nodiscard]] Status check_server(Session& session, const std::filesystem::path& fallback = {});

/// Works and returns the exit code: that of the job or of the jobs that were worked on, or
/// `exit_interrupted`. REQUIRES: `signals` was created before the store was opened.
[[nodiscard]] int work_on(Session& session, const std::shared_ptr<Store>& store,
                          const StopSignals& signals, const WorkOrder& order);

/// The stages of a workflow that only the program that submitted it can run.
[[nodiscard]] std::vector<std::string> stages_of_programs(const Workflow& workflow);

/// The value of --parallel for a work order; zero if it is not given. `invalid` for an explicit
/// zero, with which nothing would ever run.
[[nodiscard]] Result<std::uint32_t> parallel_from(const std::optional<std::uint32_t>& said);

/// The value of --file-quota: "16GiB", "500MiB", or bytes; zero if it is not given.
[[nodiscard]] Result<std::int64_t> file_quota_from(const std::string& said);

/// How many processors this process may use.
[[nodiscard]] std::uint32_t processors();

}  // namespace pawl::cli
