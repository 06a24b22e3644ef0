#pragma once

/// A workflow's stages as a picture: for people in a terminal, and for the tools they paste it
/// into.

#include <string>

#include "pawl/core/job.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::cli {

/// Beyond these a picture helps nobody, and would take long to draw.
inline constexpr std::size_t drawn_stages_max = 100;
/// In a picture and in a list names are cut to so many columns, and lists of needs to so many
/// names.
inline constexpr std::size_t name_columns_max = 60;
inline constexpr std::size_t listed_needs_max = 20;

/// One line per row of stages, drawn from left to right. A graph whose lines would cross, or that
/// is larger than the bounds above, is printed as a list instead: one stage a line, with its needs.
/// The other formats are always complete; they take time and memory in proportion to stages and
/// needs.
[[nodiscard]] std::string ascii_graph(const Workflow& workflow);
[[nodiscard]] std::string mermaid_graph(const Workflow& workflow);
[[nodiscard]] std::string dot_graph(const Workflow& workflow);

/// {"workflow","hash","stages":[{"name","needs","kind","scope","review"}]}; with a job also each
/// stage's counts.
[[nodiscard]] Json graph_document(const Workflow& workflow, const Job* job);

}  // namespace pawl::cli
