#pragma once

/// A workflow's stages as a picture: for people in a terminal, and for the tools they paste it
/// into.

#include <string>

#include "pawl/core/job.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::cli {

/// One line per row of stages, drawn from left to right. A graph whose lines would cross, and so be
/// read wrongly, is told as a list instead: one stage a line, with what it comes after.
[[nodiscard]] std::string ascii_graph(const Workflow& workflow);
[[nodiscard]] std::string mermaid_graph(const Workflow& workflow);
[[nodiscard]] std::string dot_graph(const Workflow& workflow);

/// {"workflow","hash","stages":[{"name","needs","kind","scope","review"}]}; with a job also each
/// stage's counts.
[[nodiscard]] Json graph_document(const Workflow& workflow, const Job* job);

}  // namespace pawl::cli
