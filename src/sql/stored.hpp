#pragma once

/// Stored values are not trusted: text that is not JSON any more, and a definition that does not
/// match its hash, are `corrupt`.

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
    "restore the store from a backup; `pawl verify` reports what else is damaged";

/// Throws a `Fault` if the text is not JSON.
[[nodiscard]] Json stored_json(std::string text);

/// The workflow that is stored under this hash. Throws a `Fault` if the definition cannot be read
/// or its own hash differs.
[[nodiscard]] Workflow stored_workflow(std::string_view hash, std::string definition);

/// Empty if a workflow with this number of stages can have this task.
[[nodiscard]] std::optional<Error> beyond_stages(const Task& task, std::size_t stage_count);

/// Throws a `Fault` if the counters of a job do not match the stages of its workflow.
void check_counters(const Job& job, const Workflow& workflow);

/// Runs `read` and adds the place to a `corrupt` fault. `place` is called only then.
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
