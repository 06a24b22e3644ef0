#pragma once

/// What running attempts report about themselves: progress and messages.

#include <string>
#include <vector>

#include "cli/session.hpp"
#include "views/live.hpp"

namespace pawl::cli {

using views::RunningAttempt;
using views::with_live;

/// The reports of attempts that run on this machine now, for one job; with an item, only of that
/// item. Reports that cannot be read are left out: they only inform.
[[nodiscard]] std::vector<RunningAttempt> running_now(const Session& session, Records& records,
                                                      const Job& job, const Workflow& workflow,
                                                      ItemId only = {});

/// One line for each report, at most `columns` wide; the rest is counted. Empty if there are none.
[[nodiscard]] std::string running_text(const std::vector<RunningAttempt>& running,
                                       const Style& style, std::size_t columns);

}  // namespace pawl::cli
