#pragma once

/// What an unquoted scalar means: the core schema of YAML 1.2, where yes, no, on and off are text.

#include <optional>
#include <string>
#include <string_view>

#include "workflow/yaml.hpp"

namespace pawl::workflow {

struct PlainScalar {
  YamlNode::Kind kind = YamlNode::Kind::string;
  bool boolean = false;
  bool has_json = true;  ///< false: .inf, .nan, and numbers beyond what JSON readers can hold
};
[[nodiscard]] PlainScalar read_plain(std::string_view text);

/// A number of the core schema in the spelling of JSON; empty when it has none.
[[nodiscard]] std::optional<std::string> json_number(std::string_view text);

}  // namespace pawl::workflow
