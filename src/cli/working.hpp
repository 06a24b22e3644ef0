#pragma once

/// A process at work: an engine on the store, its progress shown, until there is nothing left to do
/// here or somebody says stop.

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "cli/session.hpp"
#include "cli/signals.hpp"

namespace pawl::cli {

struct WorkOrder {
  JobId job;  ///< only this one, shown as it comes along; none: every job of the store
  std::uint32_t parallel = 0;  ///< attempts at once; 0: what the job says, else the processors
  std::set<std::string> stages = {};
  std::set<std::string> categories = {};
  Duration lease = {};          ///< zero: the engine's own
  bool keep_running = false;    ///< also past the lease, when others may run the same
  std::int64_t file_quota = 0;  ///< bytes of files that one attempt may hand in; zero: the usual
  bool until_idle = true;       ///< ends when only people could go on; false: when it is stopped
};

/// Works and answers the exit code: that of the job, or of the jobs that were worked on, or
/// `exit_interrupted`. REQUIRES: `signals` was made before the store was opened.
[[nodiscard]] int work_on(Session& session, const std::shared_ptr<Store>& store,
                          const StopSignals& signals, const WorkOrder& order);

/// The stages of a workflow that only the program which submitted it can run.
[[nodiscard]] std::vector<std::string> stages_of_programs(const Workflow& workflow);

/// What --parallel says, for a work order; zero where it says nothing. `invalid` for a zero that
/// was said: nothing would ever run.
[[nodiscard]] Result<std::uint32_t> parallel_from(const std::optional<std::uint32_t>& said);

/// What --file-quota says: "16GiB", "500MiB", or bytes; zero where it says nothing.
[[nodiscard]] Result<std::int64_t> file_quota_from(const std::string& said);

/// How many processors this process may use.
[[nodiscard]] std::uint32_t processors();

}  // namespace pawl::cli
