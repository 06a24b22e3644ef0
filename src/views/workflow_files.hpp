#pragma once

/// Workflow files as documents.

#include <vector>

#include "pawl/workflow/file.hpp"

namespace pawl::views {

/// {"workflow","hash","description","params":[{"name","type","required","default","description"}],
///  "items":{"kind","source","command","count","id","category"},"budget":{…},"parallel",
///  "tolerate_failures","assignees":[…],"stages":[…]}; `stages` as in `graph_document`.
[[nodiscard]] Json workflow_file_document(const WorkflowFile& file);

[[nodiscard]] Json diagnostics_document(const std::vector<Diagnostic>& diagnostics);

}  // namespace pawl::views
