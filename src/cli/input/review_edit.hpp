#pragma once

/// Lets a person edit an output.

#include <optional>
#include <string>

#include "cli/session.hpp"
#include "pawl/core/workflow.hpp"
#include "pawl/store/store.hpp"

namespace pawl::cli {

/// The edited output: from `given` (the whole output as JSON), else from the person's editor
/// (VISUAL, EDITOR, vi). A field that is a file may stay as it is, or become the path of another
/// file, which is stored. If it is the only editable field, the editor opens the content of the
/// file.
///
/// The result has the same fields. Each has its declared type, else the type it had. `invalid`
/// names the field and what to do.
[[nodiscard]] Result<Json> edited_output(Session& session, Store& store,
                                         const StageDefinition& stage, const Json& original,
                                         const std::optional<std::string>& given);

}  // namespace pawl::cli
