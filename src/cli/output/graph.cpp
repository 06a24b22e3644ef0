#include "cli/output/graph.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cli/output/drawing.hpp"
#include "cli/output/render.hpp"

namespace pawl::cli {

namespace {

std::string with_signs(std::string name, const StageDefinition& stage) {
  if (stage.joins) name += " ×n";
  if (always_reviews(stage.review)) {
    name += " ◆";
  } else if (stage.review != ReviewPolicy::never) {
    name += " ◇";
  }
  if (stage.scope == Scope::all) name += " (once)";
  return name;
}

std::string title_of(const StageDefinition& stage) {
  return with_signs(printable(stage.name), stage);
}

std::string cut(const std::string& name) { return shortened(printable(name), name_columns_max); }

/// The stages in topological order, each with its needs.
std::string as_list(const Workflow& workflow) {
  std::size_t width = 0;
  for (const StageDefinition& stage : workflow.definition().stages) {
    width = std::max(width, display_width(with_signs(cut(stage.name), stage)));
  }
  std::string out;
  for (const StageIndex index : workflow.topological_order()) {
    const StageDefinition& stage = workflow.stage(index);
    std::string line = with_signs(cut(stage.name), stage);
    if (!stage.needs.empty()) {
      line.append(width - display_width(line) + 2, ' ');
      line += "after ";
      for (std::size_t i = 0; i < std::min(stage.needs.size(), listed_needs_max); ++i) {
        line += (i > 0 ? ", " : "") + cut(stage.needs[i]);
      }
      if (stage.needs.size() > listed_needs_max) {
        const auto rest = static_cast<std::int64_t>(stage.needs.size() - listed_needs_max);
        line += " and " + with_separators(rest) + " more";
      }
    }
    out += line + "\n";
  }
  return out;
}

/// Escapes a quoted name for mermaid or dot.
std::string escaped(const std::string& text, bool for_mermaid) {
  std::string out;
  for (const char c : text) {
    if (c == '"') {
      out += for_mermaid ? "#quot;" : "\\\"";
    } else if (c == '\\' && !for_mermaid) {
      out += "\\\\";
    } else if (c == '\n' || c == '\r') {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

std::string node_name(StageIndex stage) { return "s" + std::to_string(at(stage)); }

}  // namespace

std::string ascii_graph(const Workflow& workflow) {
  if (workflow.stage_count() > drawn_stages_max) return as_list(workflow);
  std::vector<DrawnNode> nodes;
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto index = static_cast<StageIndex>(i);
    DrawnNode node{.label = with_signs(cut(workflow.stage(index).name), workflow.stage(index)),
                   .after = {},
                   .is_doubled = workflow.stage(index).scope == Scope::all};
    for (const StageIndex need : workflow.plan(index).needs) node.after.push_back(at(need));
    nodes.push_back(std::move(node));
  }
  if (std::optional<std::string> drawn = draw(nodes)) return std::move(*drawn);
  return as_list(workflow);
}

std::string mermaid_graph(const Workflow& workflow) {
  std::string out = "flowchart LR\n";
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto index = static_cast<StageIndex>(i);
    const StageDefinition& stage = workflow.stage(index);
    const std::string text = "\"" + escaped(title_of(stage), true) + "\"";
    out += "  " + node_name(index) + (stage.is_human() ? "{{" + text + "}}" : "[" + text + "]");
    out += "\n";
  }
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto index = static_cast<StageIndex>(i);
    const bool once = workflow.stage(index).scope == Scope::all;
    for (const StageIndex need : workflow.plan(index).needs) {
      out += "  " + node_name(need) + (once ? " ==> " : " --> ") + node_name(index) + "\n";
    }
  }
  return out;
}

std::string dot_graph(const Workflow& workflow) {
  std::string out =
      "digraph \"" + escaped(printable(workflow.name()), false) + "\" {\n  rankdir=LR;\n";
  out += "  node [shape=box];\n";
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto index = static_cast<StageIndex>(i);
    const StageDefinition& stage = workflow.stage(index);
    out += "  " + node_name(index) + " [label=\"" + escaped(title_of(stage), false) + "\"" +
           (stage.is_human() ? ", shape=hexagon" : "") + "];\n";
  }
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto index = static_cast<StageIndex>(i);
    const bool once = workflow.stage(index).scope == Scope::all;
    for (const StageIndex need : workflow.plan(index).needs) {
      out += "  " + node_name(need) + " -> " + node_name(index) + (once ? " [style=bold]" : "") +
             ";\n";
    }
  }
  return out + "}\n";
}

}  // namespace pawl::cli
