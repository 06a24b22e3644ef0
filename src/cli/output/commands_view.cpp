#include "cli/output/commands_view.hpp"

#include <sstream>
#include <utility>
#include <vector>

#include "cli/output/render.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/action.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::cli {
namespace {

constexpr std::size_t name_width = 12;

/// The words of a command as a JSON list, exactly as stored, so that spaces are unambiguous.
Json list_of(const std::vector<std::string>& words) {
  const std::vector<Json> values(words.begin(), words.end());
  return Json::array(values);
}

class Listing {
 public:
  void heading(const std::string& text) { out_ += printable(text) + "\n"; }
  void line(const std::string& name, const std::string& text) {
    const std::string shown = printable(name);
    const std::size_t width = display_width(shown);
    out_ += "  " + shown + std::string(width < name_width ? name_width - width : 1, ' ') +
            printable(text) + "\n";
  }
  void lines(const std::string& name, const std::string& text) {
    std::istringstream in(text);
    std::string next;
    for (bool is_first = true; std::getline(in, next); is_first = false) {
      line(is_first ? name : "", next);
    }
  }
  [[nodiscard]] std::string text() const { return out_; }

 private:
  std::string out_;
};

void list_gate(Listing& out, const GateSpec& gate, const std::string& name) {
  if (gate.kind == GateSpec::Kind::run) {
    out.line("gate", name + ": run " + list_of(gate.argv).text());
  } else if (gate.parts.empty()) {
    out.line("gate", name + ": " + gate.body.text());
  }
  if (gate.kind == GateSpec::Kind::all) out.line("gate", name + ": all of these");
  if (gate.kind == GateSpec::Kind::any) {
    out.line("gate", name + ": at least " + std::to_string(gate.at_least) + " of these");
  }
  for (std::size_t i = 0; i < gate.parts.size(); ++i) {
    const GateSpec& part = gate.parts[i];
    list_gate(out, part, name + "." + (part.name.empty() ? std::to_string(i + 1) : part.name));
  }
}

void list_action(Listing& out, const ActionSpec& action) {
  if (action.kind == ActionKind::run) out.line("run", list_of(action.argv).text());
  if (action.kind == ActionKind::sh) out.lines("sh", action.script);
  if (action.kind == ActionKind::human) out.line("human", "a person decides; no command runs");
  if (!action.dir.empty()) out.line("dir", action.dir);
  for (const auto& [name, value] : action.env) out.line("env", name + "=" + value);
  for (const std::string& name : action.secrets) {
    out.line("secret", name + " (the command gets it from your environment)");
  }
  for (const auto& [name, value] : action.in) out.line("in", name + ": " + value.text());
  if (!action.when.is_null()) out.line("when", action.when.text());
  if (!action.each.empty()) out.line("each", action.each);
  if (!action.each_id.empty()) out.line("id", action.each_id);
  for (const GateSpec& gate : action.gates) list_gate(out, gate, gate.name);
}

void list_stage(Listing& out, const StageDefinition& stage) {
  out.heading("stage " + stage.name);
  const Result<ActionSpec> action = action_from(stage.params);
  const bool is_of_a_file = stage.is_human() || stage.handler == command_handler;
  if (is_of_a_file && action) return list_action(out, *action);
  if (!is_of_a_file) out.line("code", "'" + stage.handler + "' of the program that runs it");
  if (!stage.decider.empty()) out.line("decider", stage.decider);
  out.line("params", stage.params.text());
}

std::string items_command(const Job& job) {
  const Result<Json> described = field(job.labels, "items").json();
  const Result<ItemsSpec> items =
      described ? items_from(*described) : Result<ItemsSpec>(ItemsSpec{});
  if (!items) return described->text();
  if (items->kind == ItemsSpec::Kind::run) return "run " + list_of(items->argv).text();
  return items->source;
}

}  // namespace

std::string commands_text(const Job& job, const Workflow& workflow) {
  Listing out;
  out.heading("job");
  if (const std::string project = views::label(job, "project"); !project.empty()) {
    out.line("project", project);
  }
  if (!job.params.is_null()) out.line("params", job.params.text());
  // These are read again if the submission was interrupted.
  if (const std::string items = items_command(job); !items.empty()) out.line("items", items);
  for (const StageIndex index : workflow.topological_order()) {
    list_stage(out, workflow.stage(index));
  }
  return out.text();
}

}  // namespace pawl::cli
