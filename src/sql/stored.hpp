#pragma once

/// What a store gives back is not taken on trust: text that is no longer JSON, and a definition
/// that is no longer the one it was kept as, are `corrupt`.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pawl/core/job.hpp"
#include "pawl/core/task.hpp"
#include "pawl/core/workflow.hpp"
#include "sql/fault.hpp"

namespace pawl::sql {

/// What to do about a row that is damaged.
inline constexpr std::string_view damaged_row_help =
    "restore the store from a backup; `pawl verify` tells what else is damaged";

/// Throws a `Fault` where the text is no JSON.
[[nodiscard]] Json stored_json(std::string text);

/// The workflow that is kept by this hash. Throws a `Fault` where the definition cannot be read, or
/// its own hash is another.
[[nodiscard]] Workflow stored_workflow(std::string_view hash, std::string definition);

/// Nothing where a workflow with so many stages can have this task.
[[nodiscard]] std::optional<Error> beyond_stages(const Task& task, std::size_t stage_count);

/// Throws a `Fault` where a job counts other stages than its workflow has.
void check_counters(const Job& job, const Workflow& workflow);

/// Runs `read`; a `corrupt` fault in it says where it was. `place` is asked only then.
template <class Place, class Read>
auto reading_row(const Place& place, const Read& read) {
  try {
    return read();
  } catch (Fault& fault) {
    if (fault.error.code != ErrorCode::corrupt) throw;
    throw Fault(
        ErrorCode::corrupt, place() + ": " + fault.error.message,
        fault.error.help.empty() ? std::string(damaged_row_help) : std::move(fault.error.help));
  }
}

}  // namespace pawl::sql
