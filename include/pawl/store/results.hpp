#pragma once

/// Getting the outputs of a job out, page by page: memory stays bounded however many items it has.

#include <functional>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl {

/// One item with what its stages brought.
struct SettledItem {
  Item item;
  std::vector<StageOutput> outputs;  ///< of the ended stages, in stage order, payloads read back

  /// The output of a stage by name; null when there is none.
  [[nodiscard]] const StageOutput* output(const Workflow& workflow, std::string_view stage) const;
};

/// Every item of the job once, in order of arrival, settled or not. Stops early when the visitor
/// answers false.
[[nodiscard]] Status for_each_result(Records& records, JobId job,
                                     const std::function<bool(const SettledItem&)>& visit);

/// An output as it was returned: one that was too large to stand in the record is read back from
/// its payload.
[[nodiscard]] Result<Json> whole_output(Records& records, Json output);

/// How a record names a payload: {"$ref":"sha256:…","size":n}
[[nodiscard]] Json payload_reference(const std::string& sha256, std::size_t size);
[[nodiscard]] bool is_payload_reference(const Json& output);

}  // namespace pawl
