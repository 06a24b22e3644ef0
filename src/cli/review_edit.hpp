#pragma once

/// Changing an output by hand.

#include <optional>
#include <string>

#include "cli/session.hpp"
#include "pawl/core/workflow.hpp"
#include "pawl/store/store.hpp"

namespace pawl::cli {

/// The output as the person wants it: from `given` (the whole output as JSON), else from the
/// person's editor (VISUAL, EDITOR, vi). A field that is a file may be left as it is, or become the
/// path of another file, which is kept; where it is the only editable field, the editor opens on
/// what the file holds.
///
/// It has the same fields, each of the type it is declared to have, else of the type it had.
/// `invalid` names the field and the way out.
[[nodiscard]] Result<Json> edited_output(Session& session, Store& store,
                                         const StageDefinition& stage, const Json& original,
                                         const std::optional<std::string>& given);

}  // namespace pawl::cli
