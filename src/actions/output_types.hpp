#pragma once

/// Checks an output against the declaration of its stage, and stores the files in it.

#include <string>
#include <vector>

#include "actions/handed_in.hpp"
#include "actions/log_text.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl::actions {

/// One field that does not match its declaration.
struct FieldMisfit {
  std::string field;
  std::string expected;  ///< "integer"
  std::string actual;    ///< "\"many\"", "missing"
};
/// "words: expected integer, got \"many\""
[[nodiscard]] std::string text_of(const FieldMisfit& misfit);

/// What does not match: fields of another type, missing fields and undeclared fields. Files are
/// expected in the form of the record. `of_children`: each field is a list of such values, with
/// null for a child that failed.
[[nodiscard]] std::vector<FieldMisfit> misfits(const std::vector<OutField>& out, const Json& output,
                                               bool of_children = false);

/// The declared type in words: "integer", or "list of integer" of a stage with children.
[[nodiscard]] std::string expected_type(const OutField& field, bool of_children);

/// The paths in the declared file fields of an output.
[[nodiscard]] std::vector<std::string> paths_of_files(const std::vector<OutField>& out,
                                                      const Json& output);

/// The output with each declared file stored. A field whose file cannot be accepted is left
/// unchanged and added to `unfit`. Returns an error if the store could not store one before the
/// attempt was stopped, or if the quota is used up.
[[nodiscard]] Result<Json> keep_files(const std::vector<OutField>& out, const Json& output,
                                      FileKeeper& keeper, const Mask& mask,
                                      std::vector<FieldMisfit>& unfit);

/// A value in the form shown to users: strings without quotes, long ones shortened.
[[nodiscard]] std::string shown(const Json& value);

}  // namespace pawl::actions
