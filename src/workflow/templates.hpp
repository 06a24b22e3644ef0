#pragma once

/// Texts of a workflow file that may hold references, and those that may not.

#include <string_view>
#include <vector>

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// Notes the references in a text, or what is wrong with them.
void read_template(Faults& faults, const YamlNode& node, Spot spot,
                   std::vector<ReferenceUse>& uses);
/// The same for every text inside a value.
void read_templates_within(Faults& faults, const YamlNode& node, Spot spot,
                           std::vector<ReferenceUse>& uses);
/// The node as exactly one reference, noted among the uses; else a fault.
std::optional<Reference> read_single_reference(Faults& faults, const Value& value, Spot spot,
                                               std::vector<ReferenceUse>& uses);
/// A key of a map as exactly one reference.
std::optional<Reference> read_reference_key(Faults& faults, const YamlMember& member, Spot spot,
                                            std::vector<ReferenceUse>& uses);

/// A command: a list of texts, the first of which is not empty.
std::vector<std::string> read_command(Faults& faults, const Value& value, Spot spot,
                                      std::vector<ReferenceUse>& uses);

/// `${item.path}` and the like in a text that is not a template, in the order of the text, each
/// once, at most twenty. A shell's own `${NAME}` is none.
[[nodiscard]] std::vector<std::string> engine_references_in(std::string_view text);
/// Notes a fault for every text in which a reference would stay as it is.
void refuse_references(Faults& faults, const Value& value,
                       const std::string& help =
                           "references stand in run, in, env, when, each, "
                           "expect, and where items come from");

}  // namespace pawl::workflow
