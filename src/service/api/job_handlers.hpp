#pragma once

/// The handlers of the routes of jobs; `routes_jobs.cpp` is their table.

#include <vector>

#include "actions/limits.hpp"
#include "service/api/call.hpp"

namespace pawl::service {

// Reading.
[[nodiscard]] Result<Reply> list_jobs(Call& call);
[[nodiscard]] Result<Reply> show_job(Call& call);
[[nodiscard]] Result<Reply> show_graph_of_job(Call& call);
[[nodiscard]] Result<Reply> show_stages_of_job(Call& call);
[[nodiscard]] Result<Reply> show_commands_of_job(Call& call);

// Acting. Each answers with the job as it is then.
[[nodiscard]] Result<Reply> submit_job(Call& call);
[[nodiscard]] Result<Reply> pause_job(Call& call);
[[nodiscard]] Result<Reply> resume_job(Call& call);
[[nodiscard]] Result<Reply> cancel_job(Call& call);
[[nodiscard]] Result<Reply> revive_job(Call& call);
[[nodiscard]] Result<Reply> trust_job(Call& call);
[[nodiscard]] Result<Reply> change_budget(Call& call);

/// The limits that a submission or a change of a budget may set.
[[nodiscard]] std::vector<Field> budget_fields();
[[nodiscard]] actions::BudgetChange budget_change_in(const Fields& fields);

/// The most items that one request may bring: they are added in one transaction.
inline constexpr std::size_t inline_items_max = 50'000;

}  // namespace pawl::service
