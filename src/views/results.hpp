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

/// Visits each result; with `only`, just the outputs of that stage. Stops at the first error.
[[nodiscard]] Status each_result(Records& records, const Job& job, const Workflow& workflow,
                                 const std::optional<StageIndex>& only,
                                 const std::function<Status(const ShownResult&)>& visit);

[[nodiscard]] Json result_document(Records& records, const Job& job, const Workflow& workflow,
                                   const ShownResult& result);

}  // namespace pawl::views
