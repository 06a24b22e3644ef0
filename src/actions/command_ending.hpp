#pragma once

/// Maps the end of a command to an outcome: the table "How it ends" of the subprocess protocol.
/// Pure.

#include <optional>

#include "actions/process.hpp"
#include "actions/result_document.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl::actions {

/// The result document; empty if none was written, an error if it could not be read.
using Written = std::optional<Result<ResultDocument>>;

/// The error that this end means; empty if the command succeeded and its output may be read.
[[nodiscard]] std::optional<StageError> error_of(const ActionSpec& action, const ProcessEnd& end,
                                                 const Written& written);

[[nodiscard]] StageError protocol_error(std::string message);

}  // namespace pawl::actions
