#pragma once

/// Texts of a workflow file that may contain references, and texts that may not.

#include <string_view>
#include <vector>

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// Collects the references in a text, or adds a fault for a malformed one.
void read_template(Faults& faults, const YamlNode& node, Spot spot,
                   std::vector<ReferenceUse>& uses);
/// The same for every text inside a value, at any depth.
void read_templates_within(Faults& faults, const YamlNode& node, Spot spot,
                           std::vector<ReferenceUse>& uses);
/// Reads a value that must be exactly one reference, and adds it to `uses`. Otherwise adds a fault.
std::optional<Reference> read_single_reference(Faults& faults, const Value& value, Spot spot,
                                               std::vector<ReferenceUse>& uses);
/// The same for a key of a map.
std::optional<Reference> read_reference_key(Faults& faults, const YamlMember& member, Spot spot,
                                            std::vector<ReferenceUse>& uses);

/// Reads a command: a list of texts, the first of which is not empty.
std::vector<std::string> read_command(Faults& faults, const Value& value, Spot spot,
                                      std::vector<ReferenceUse>& uses);

/// The references such as `${item.path}` in a text that is not a template, in order, without
/// duplicates, at most twenty. Shell variables such as `${NAME}` are not included.
[[nodiscard]] std::vector<std::string> engine_references_in(std::string_view text);
/// Adds a fault for every text that contains a reference, because it would not be replaced.
void refuse_references(Faults& faults, const Value& value,
                       const std::string& help =
                           "references are replaced in run, in, env, when, each, expect and the "
                           "source of the items");

}  // namespace pawl::workflow
