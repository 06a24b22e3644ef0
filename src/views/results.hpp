#pragma once

/// The results of a job: the outputs of each settled item, then those of the job-wide stages.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::views {

struct ShownResult {
  std::optional<std::string> item;                    ///< none: the job-wide stages
  std::string_view state;                             ///< of the item, or of the job
  std::vector<std::pair<std::string, Json>> outputs;  ///< by stage
  /// Of the attempts whose outputs these are, by stage.
  std::map<std::string, std::vector<ArtifactRecord>> artifacts = {};
};

/// The outputs of one item; with `only`, just that of this stage.
[[nodiscard]] Result<ShownResult> result_of(Records& records, const Job& job,
                                            const Workflow& workflow, const Item& item,
                                            const std::optional<StageIndex>& only);
/// The outputs of the job-wide stages; none if no such stage has one.
[[nodiscard]] Result<std::optional<ShownResult>> job_wide_result(
    Records& records, const Job& job, const Workflow& workflow,
    const std::optional<StageIndex>& only);

/// Visits each result; with `only`, just the outputs of that stage. Stops at the first error.
[[nodiscard]] Status each_result(Records& records, const Job& job, const Workflow& workflow,
                                 const std::optional<StageIndex>& only,
                                 const std::function<Status(const ShownResult&)>& visit);

/// {"item","job","state","outputs","id"}. Files have no paths.
[[nodiscard]] Json result_document(const Job& job, const Workflow& workflow,
                                   const ShownResult& result);
/// The same with the paths of files on this machine.
[[nodiscard]] Json result_document(Records& records, const Job& job, const Workflow& workflow,
                                   const ShownResult& result);

}  // namespace pawl::views
