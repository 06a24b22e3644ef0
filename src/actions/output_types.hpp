#pragma once

/// Whether an output is what its stage declared, and the files in it brought to safety.

#include <string>
#include <vector>

#include "actions/handed_in.hpp"
#include "actions/log_text.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl {

/// One field that is not what was declared.
struct FieldMisfit {
  std::string field;
  std::string expected;  ///< "integer"
  std::string actual;    ///< "\"many\"", "missing"
};
/// "words: expected integer, got \"many\""
[[nodiscard]] std::string text_of(const FieldMisfit& misfit);

/// What does not fit: fields of another type, missing ones, and ones that were not declared. Files
/// are expected as the record names them. `of_children`: each field is a list of such values, with
/// null for a child that failed.
[[nodiscard]] std::vector<FieldMisfit> misfits(const std::vector<OutField>& out, const Json& output,
                                               bool of_children = false);

/// The paths in the declared files of an output.
[[nodiscard]] std::vector<std::string> paths_of_files(const std::vector<OutField>& out,
                                                      const Json& output);

/// The output with each declared file kept by the store. A field whose file cannot be taken is left
/// as it is and added to `unfit`. An error: the store could not keep one until the attempt was
/// stopped, or the quota is used up.
[[nodiscard]] Result<Json> keep_files(const std::vector<OutField>& out, const Json& output,
                                      FileKeeper& keeper, const Mask& mask,
                                      std::vector<FieldMisfit>& unfit);

/// A value as people are shown it: strings bare, long ones shortened.
[[nodiscard]] std::string shown(const Json& value);

}  // namespace pawl
