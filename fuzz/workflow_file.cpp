/// Whatever the bytes: a workflow file is loaded or refused, in time, and what is said about it
/// can be shown.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "pawl/codec/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/workflow/file.hpp"
#include "workflow/reference.hpp"
#include "workflow/yaml.hpp"

namespace {

using namespace pawl;
using namespace pawl::workflow;

void check_said(std::span<const Diagnostic> said, std::string_view text) {
  for (const Diagnostic& one : said) {
    require(find_code(one.code) != nullptr, "a code without a story: " + one.code);
    require(!one.message.empty(), "a diagnostic without a message");
    require(one.place.line == 0 || one.place.column > 0, "a line without a column");
    require(one.place.column == 0 || one.place.end_column > one.place.column, "an empty place");
    require(parse_json(diagnostic_document(one).text()).has_value(), "a document that is not JSON");
  }
  const std::string shown = render(said, text);
  require(shown.find('\x1b') == std::string::npos, "a file commands the terminal");
}

/// Texts with references are read back as they are written.
void check_templates(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::string) {
    const auto parsed = Template::parse(node.text);
    if (!parsed) {
      require(parsed.error().at + parsed.error().length <= node.text.size(), "a fault outside");
      return;
    }
    for (const Template::Piece& piece : parsed->pieces()) {
      const auto* const reference = std::get_if<Reference>(&piece);
      if (reference == nullptr) continue;
      const auto again = Template::parse(reference->text());
      require(again && again->single() != nullptr && *again->single() == *reference,
              "a reference that does not read back");
    }
  }
  for (const YamlNode& each : node.list) check_templates(each);
  for (const YamlMember& each : node.map) check_templates(each.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto node = parse_yaml(text, "fuzz.yaml")) {
    require(parse_json(to_json(*node).text(), {.depth = 100}).has_value(), "not JSON");
    check_templates(*node);
  } else {
    require(!node.error().empty(), "refused without a reason");
    check_said(node.error(), text);
  }
  // A project that does not exist: files that the text names are never there to be read.
  const auto loaded = load_workflow_file(text, {.name = "fuzz.yaml", .project = "/nowhere/at/all"});
  if (loaded) {
    check_said(loaded->warnings, text);
    const auto items = items_from(describe(loaded->items));
    require(items && *items == loaded->items, "items that do not read back");
    for (const StageDefinition& stage : loaded->workflow.definition().stages) {
      if (stage.params.is_null()) continue;
      const auto action = action_from(stage.params);
      require(action && describe(*action) == stage.params, "an action that does not read back");
    }
  } else {
    require(!loaded.error().empty(), "refused without a reason");
    check_said(loaded.error(), text);
  }
  return 0;
}
