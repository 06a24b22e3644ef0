#pragma once

/// What edits of a reviewer must fulfil before they may take the place of an output. The store
/// checks this at every answer. A front end may check it earlier.

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

/// `invalid`, naming the fields that are wrong (the first twenty) and what to do, unless the edits
/// have the shape of the output:
///
/// - Only the fields that the stage declares `editable` may differ; without a declaration, all may.
/// - A field has its declared type. If none is declared, it stays what it was: text stays text, and
///   a file stays a file.
/// - No field is missing, and none is new unless the stage declares it.
///
/// An output has a shape if its stage comes from a workflow file or declares editable fields. In
/// any other stage, which is code, the edits may be anything. `output` must be the whole output:
/// one that is kept as a payload is loaded with `whole_output`.
[[nodiscard]] Status check_edits(const StageDefinition& stage, const Json& output,
                                 const Json& edits);

}  // namespace pawl
