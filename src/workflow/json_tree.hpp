#pragma once

/// A JSON value parsed into a tree, for code that reads it many times.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/json.hpp"

namespace pawl::workflow {

struct JsonTreeMember;

struct JsonTree {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  Json json;  ///< the original value
  bool boolean = false;
  long double number = 0;  ///< exact for every 64-bit integer
  std::string text;        ///< of a string
  std::vector<JsonTree> elements;
  std::vector<JsonTreeMember> members;

  [[nodiscard]] const JsonTree* find(std::string_view key) const;
  /// True for whole numbers; 1.0 and 1e3 are whole too.
  [[nodiscard]] bool is_whole() const;
};

struct JsonTreeMember {
  std::string key;
  JsonTree value;
};

/// Arrays and objects nested deeper than `depth` come out empty. The parser of the text has its own
/// limit; this one only protects the stack.
[[nodiscard]] JsonTree tree_of(const Json& value, std::size_t depth = 500);

}  // namespace pawl::workflow
