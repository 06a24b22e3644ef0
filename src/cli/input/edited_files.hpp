#pragma once

/// Files in an edited output.

#include "cli/session.hpp"
#include "pawl/core/workflow.hpp"
#include "pawl/store/store.hpp"

namespace pawl::cli {

/// The edited output with files as they are recorded. An unchanged file loses the path that was
/// shown with it. A path in place of a file is stored and becomes a file.
[[nodiscard]] Result<Json> with_files_kept(const Session& session, Store& store,
                                           const StageDefinition& stage, const Json& original,
                                           const Json& edited);

}  // namespace pawl::cli
