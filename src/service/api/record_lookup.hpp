#pragma once

/// The records that the path of a request names.

#include <cstdint>
#include <string>
#include <vector>

#include "service/api/call.hpp"
#include "views/address.hpp"

namespace pawl::service {

struct PinnedJob {
  Job job;
  Workflow workflow;
};
/// "{job}". `not_found` if there is none.
[[nodiscard]] Result<PinnedJob> job_of(Call& call);
/// The workflow that a job is pinned to.
[[nodiscard]] Result<PinnedJob> pinned(Records& records, Job job);

/// "{item}" with the stage and the fan-out child of these fields. `not_found` if the stage or the
/// child does not exist, `invalid` for a stage that is not one of items, or a child without a
/// stage.
[[nodiscard]] Result<views::Address> item_address(Call& call, const Fields& fields);
/// "{job}" and "{stage}", a job-wide stage, with the fan-out child of these fields.
[[nodiscard]] Result<views::Address> stage_address(Call& call, const Fields& fields);

/// The stage of a workflow with this name.
[[nodiscard]] Result<std::optional<StageIndex>> stage_named(const Workflow& workflow,
                                                            const std::string& name);

/// The act as the caller, through the engine, so that it reacts at once. The help of an error names
/// commands of the program.
[[nodiscard]] Result<Job> perform(Call& call, const Act& act, JobId job);

/// Collects the rows of a page until it is full: by the number of rows, or by their size, so that
/// memory stays bounded.
class PageRows {
 public:
  explicit PageRows(std::uint32_t limit) : limit_(limit) {}
  [[nodiscard]] bool is_full() const { return rows_.size() >= limit_ || bytes_ >= bytes_max; }
  void add(Json row) {
    bytes_ += row.size();
    rows_.push_back(std::move(row));
  }
  /// The page, with the cursor of the next one if there is one.
  [[nodiscard]] Page page(std::optional<std::string> next) && {
    return {.rows = std::move(rows_), .next = std::move(next)};
  }

 private:
  static constexpr std::size_t bytes_max = std::size_t{4} << 20U;
  std::uint32_t limit_;
  std::size_t bytes_ = 0;
  std::vector<Json> rows_;
};

}  // namespace pawl::service
