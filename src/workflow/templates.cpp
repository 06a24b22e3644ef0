#include "workflow/templates.hpp"

#include <algorithm>
#include <array>

namespace pawl::workflow {
namespace {

using namespace std::string_view_literals;

constexpr std::array roots{"item"sv, "params"sv, "in"sv, "out"sv, "stages"sv, "each"sv};

std::optional<Template> parsed(Faults& faults, const Place& place, const std::string& text) {
  auto made = Template::parse(text);
  if (made) return *made;
  faults.add("E031", place, made.error().message, made.error().help);
  return std::nullopt;
}

void note_uses(const Template& text, const Place& place, Spot spot,
               std::vector<ReferenceUse>& uses) {
  for (const Template::Piece& piece : text.pieces()) {
    const auto* const reference = std::get_if<Reference>(&piece);
    if (reference == nullptr) continue;
    uses.push_back({.spot = spot,
                    .place = place,
                    .reference = *reference,
                    .is_whole = text.single() != nullptr});
  }
}

std::optional<Reference> single_in(Faults& faults, const Place& place, const std::string& what,
                                   const std::string& written, Spot spot,
                                   std::vector<ReferenceUse>& uses) {
  const std::optional<Template> text = parsed(faults, place, written);
  if (!text) return std::nullopt;
  if (const Reference* const reference = text->single()) {
    note_uses(*text, place, spot, uses);
    return *reference;
  }
  faults.add("E036", place, what + " must be exactly one reference, not " + in_quotes(written),
             "write the name of one value in ${…}, for example \"${item.pages}\"");
  return std::nullopt;
}

}  // namespace

void read_template(Faults& faults, const YamlNode& node, Spot spot,
                   std::vector<ReferenceUse>& uses) {
  if (node.kind != YamlNode::Kind::string) return;
  if (const auto text = parsed(faults, node.place, node.text)) {
    note_uses(*text, node.place, spot, uses);
  }
}

void read_templates_within(Faults& faults, const YamlNode& node, Spot spot,
                           std::vector<ReferenceUse>& uses) {
  read_template(faults, node, spot, uses);
  for (const YamlNode& element : node.list) read_templates_within(faults, element, spot, uses);
  for (const YamlMember& one : node.map) {
    if (const auto found = engine_references_in(one.key); !found.empty()) {
      faults.add("E033", one.key_place, "a key cannot contain " + in_quotes(found.front()),
                 "use references in values only");
    }
    read_templates_within(faults, one.value, spot, uses);
  }
}

std::optional<Reference> read_single_reference(Faults& faults, const Value& value, Spot spot,
                                               std::vector<ReferenceUse>& uses) {
  const auto text = read_text(faults, value);
  if (!text) return std::nullopt;
  return single_in(faults, value.node.place, value.what, *text, spot, uses);
}

std::optional<Reference> read_reference_key(Faults& faults, const YamlMember& member, Spot spot,
                                            std::vector<ReferenceUse>& uses) {
  return single_in(faults, member.key_place, "a key of `when`", member.key, spot, uses);
}

std::vector<std::string> read_command(Faults& faults, const Value& value, Spot spot,
                                      std::vector<ReferenceUse>& uses) {
  std::vector<std::string> argv;
  if (value.node.kind == YamlNode::Kind::string) {
    faults.add("E011", value.node.place, value.what + " must be a list, not text",
               "write each argument as an element: [command, argument], or use sh: for a script");
    return argv;
  }
  if (!expect_list(faults, value)) return argv;
  if (value.node.list.empty()) {
    faults.add("E011", value.node.place, value.what + " has no command",
               "write the command and its arguments: [command, argument]");
  }
  for (const YamlNode& element : value.node.list) {
    const auto text = read_argument(faults, {element, "an argument in " + value.what});
    if (!text) continue;
    if (argv.empty() && text->empty()) {
      faults.add("E011", element.place, value.what + " has no command");
    }
    if (text->find('\0') != std::string::npos) {
      faults.add("E011", element.place,
                 "an argument in " + value.what + " contains a NUL character",
                 "no argument of a command can contain it: remove the \\0");
    }
    read_template(faults, element, spot, uses);
    argv.push_back(*text);
  }
  return argv;
}

std::vector<std::string> engine_references_in(std::string_view text) {
  constexpr std::size_t found_max = 20;
  std::vector<std::string> found;
  for (std::size_t at = text.find("${"); at != std::string_view::npos && found.size() < found_max;
       at = text.find("${", at + 2)) {
    const bool is_escaped = at > 0 && text[at - 1] == '$';
    const std::string_view rest = text.substr(at + 2);
    const bool is_ours = std::ranges::any_of(roots, [&](std::string_view root) {
      return rest.starts_with(root) && rest.size() > root.size() &&
             ".[}"sv.find(rest[root.size()]) != std::string_view::npos;
    });
    if (is_escaped || !is_ours) continue;
    const std::size_t end = rest.find('}');
    std::string reference(text.substr(at, end == std::string_view::npos ? end : end + 3));
    if (std::ranges::find(found, reference) == found.end()) found.push_back(std::move(reference));
  }
  return found;
}

void refuse_references(Faults& faults, const Value& value, const std::string& help) {
  for (const std::string& found : engine_references_in(value.node.text)) {
    faults.add("E033", value.node.place,
               in_quotes(found) + " in " + value.what + " is not replaced", help);
  }
  for (const YamlNode& element : value.node.list) {
    refuse_references(faults, {element, value.what}, help);
  }
  for (const YamlMember& one : value.node.map) {
    refuse_references(faults, {one.value, value.what}, help);
  }
}

}  // namespace pawl::workflow
