#pragma once

/// Draws the stages of a workflow: for a terminal, and in the formats of other tools.

#include <string>

#include "pawl/core/job.hpp"
#include "pawl/core/workflow.hpp"
#include "views/graph.hpp"

namespace pawl::cli {

/// With more stages, a picture would be useless and slow to draw.
inline constexpr std::size_t drawn_stages_max = 100;
/// Pictures and lists cut names to this many columns, and needs to this many names.
inline constexpr std::size_t name_columns_max = 60;
inline constexpr std::size_t listed_needs_max = 20;

/// One line per row of stages, drawn from left to right. A graph whose lines would cross, or that
/// exceeds the bounds above, is printed as a list: one stage per line, with its needs. The other
/// formats are always complete; time and memory are proportional to stages and needs.
[[nodiscard]] std::string ascii_graph(const Workflow& workflow);
[[nodiscard]] std::string mermaid_graph(const Workflow& workflow);
[[nodiscard]] std::string dot_graph(const Workflow& workflow);

using views::graph_document;

}  // namespace pawl::cli
