#pragma once

/// What the end of a command means: the table "How it ends" of the subprocess protocol. Pure.

#include <optional>

#include "actions/process.hpp"
#include "actions/result_document.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl {

/// The result document: none was written, or what was written could not be read, or it.
using Written = std::optional<Result<ResultDocument>>;

/// The error that this end is; none: it ended well, and the output may be read.
[[nodiscard]] std::optional<StageError> error_of(const ActionSpec& action, const ProcessEnd& end,
                                                 const Written& written);

[[nodiscard]] StageError protocol_error(std::string message);

}  // namespace pawl
