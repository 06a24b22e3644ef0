#pragma once

/// Strict YAML: one document, YAML 1.2 core schema, UTF-8, string keys; no duplicate keys, tags,
/// anchors, aliases, merge keys or tabs. Every node and key has its place.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/workflow/diagnostic.hpp"

namespace pawl::workflow {

struct YamlMember;

struct YamlNode {
  enum class Kind : std::uint8_t { null, boolean, integer, number, string, list, map };
  Kind kind = Kind::null;
  Place place;       ///< for a scalar: its text, with quotes; for a list or map: its first line
  std::string text;  ///< for a scalar: its value; numbers as written
  bool boolean = false;
  bool is_flow = false;        ///< written inside [ ] or { }
  bool is_block_text = false;  ///< written with | or >
  std::vector<YamlNode> list;
  std::vector<YamlMember> map;

  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] const YamlMember* find_member(std::string_view key) const;
  [[nodiscard]] bool is_scalar() const { return kind <= Kind::string; }
};

struct YamlMember {
  std::string key;
  Place key_place;
  YamlNode value;
};

/// The document, or its faults. `file` is its name in the diagnostics.
[[nodiscard]] std::expected<YamlNode, std::vector<Diagnostic>> parse_yaml(std::string_view text,
                                                                          std::string_view file);

/// The value as JSON. Integers and numbers keep their value.
[[nodiscard]] Json to_json(const YamlNode& node);

/// "a map", "a list", "text", "the number 30": for messages.
[[nodiscard]] std::string in_words(const YamlNode& node);

}  // namespace pawl::workflow
