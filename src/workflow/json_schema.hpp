#pragma once

/// JSON Schema: draft 7 and the common part of 2020-12. A schema can refer only to itself. Patterns
/// are RE2, so they run in linear time.

#include <memory>
#include <string>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"

namespace pawl::workflow {

struct SchemaFinding {
  std::string path;      ///< "stages[0].name"; empty: the whole value
  std::string expected;  ///< ">= 5", "one of \"a\", \"b\""
  std::string actual;    ///< the value there, shortened
  std::string message;   ///< one sentence
};

/// Immutable; copies share one representation.
class JsonSchema {
 public:
  /// `invalid` names the place in the schema, for example an unknown `$ref` or a pattern that RE2
  /// does not support.
  [[nodiscard]] static Result<JsonSchema> compile(const Json& schema);
  /// Every finding, at most a hundred. Empty: the value is valid.
  [[nodiscard]] std::vector<SchemaFinding> check(const Json& value) const;

 private:
  struct Representation;
  explicit JsonSchema(std::shared_ptr<const Representation> representation);
  std::shared_ptr<const Representation> representation_;
};

}  // namespace pawl::workflow
