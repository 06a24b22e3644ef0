#pragma once

/// Resolves unquoted scalars by the core schema of YAML 1.2, where yes, no, on and off are text.

#include <optional>
#include <string>
#include <string_view>

#include "workflow/yaml.hpp"

namespace pawl::workflow {

struct PlainScalar {
  YamlNode::Kind kind = YamlNode::Kind::string;
  bool boolean = false;
  bool has_json = true;  ///< false for .inf, .nan and numbers beyond the range of a double
};
[[nodiscard]] PlainScalar read_plain(std::string_view text);

/// A number of the core schema in JSON syntax; empty if JSON cannot represent it.
[[nodiscard]] std::optional<std::string> json_number(std::string_view text);

}  // namespace pawl::workflow
