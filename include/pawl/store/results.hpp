#pragma once

/// Reads the outputs of a job page by page, so memory stays bounded however many items it has.

#include <functional>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl {

/// One item with the outputs of its stages.
struct SettledItem {
  Item item;
  std::vector<StageOutput> outputs;  ///< of the ended stages, in stage order, with payloads loaded

  /// The output of a stage by name; null if there is none.
  [[nodiscard]] const StageOutput* output(const Workflow& workflow, std::string_view stage) const;
};

/// Visits every item of the job once, in order of arrival, settled or not. Stops early if the
/// visitor returns false.
[[nodiscard]] Status for_each_result(Records& records, JobId job,
                                     const std::function<bool(const SettledItem&)>& visit);

/// The output as the stage returned it. If it was too large for the record, it is loaded from its
/// payload.
[[nodiscard]] Result<Json> whole_output(Records& records, Json output);

/// How a record refers to a payload: {"$ref":"sha256:…","size":n}
[[nodiscard]] Json payload_reference(const std::string& sha256, std::size_t size);
[[nodiscard]] bool is_payload_reference(const Json& output);

}  // namespace pawl
