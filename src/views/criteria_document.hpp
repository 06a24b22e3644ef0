#pragma once

/// The attempts of one task side by side, as a JSON document: the criteria, and how the outputs
/// change.

#include "views/attempts.hpp"

namespace pawl::views {

/// {"stage","child","task","epoch",
///  "attempts":[{"attempt_number","epoch","same_output_as",
///               "difference":{"from","bytes","lines_added","lines_removed"}}],
///  "rows":[{"gate","name","trend",
///           "cells":[{"attempt_number","passed","expected","actual"}]}]}
///
/// `epoch` is the one that the trends are about. An attempt without the criterion has no cell.
[[nodiscard]] Json criteria_document(Records& records, const TaskAttempts& task);

}  // namespace pawl::views
