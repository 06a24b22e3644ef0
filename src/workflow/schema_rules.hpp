#pragma once

/// A compiled JSON Schema: every keyword checked, every reference resolved, every pattern compiled.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <re2/re2.h>

#include "pawl/core/result.hpp"
#include "workflow/json_schema.hpp"
#include "workflow/json_tree.hpp"

namespace pawl::workflow {

enum class SchemaType : std::uint8_t { null, boolean, integer, number, string, array, object };

/// One schema or subschema. Pointers refer to elements of the same `SchemaRules`.
struct SchemaRule {
  using Pattern = std::shared_ptr<const re2::RE2>;
  struct Limits {
    std::optional<long double> min;
    std::optional<long double> max;
  };
  struct Choice {
    std::string canonical;  ///< the form that equal values share
    std::string shown;
  };
  struct Dependency {
    std::string key;
    std::vector<std::string> required;
    const SchemaRule* rule = nullptr;
  };

  bool is_never = false;  ///< the schema `false`
  const SchemaRule* reference = nullptr;
  std::vector<SchemaType> types;
  std::optional<std::vector<Choice>> choices;  ///< from `enum`; `const` gives a single choice
  Limits number;
  Limits beyond;  ///< exclusiveMinimum, exclusiveMaximum
  std::optional<long double> multiple_of;
  Limits length;
  Pattern pattern;

  Limits element_count;
  bool are_elements_unique = false;
  std::vector<const SchemaRule*> first_elements;
  const SchemaRule* elements = nullptr;  ///< rule for those after the first ones
  const SchemaRule* contains = nullptr;
  Limits contains_count;

  Limits member_count;
  std::vector<std::string> required;
  std::vector<std::pair<std::string, const SchemaRule*>> members;
  std::vector<std::pair<Pattern, const SchemaRule*>> members_by_pattern;
  const SchemaRule* other_members = nullptr;
  const SchemaRule* member_names = nullptr;
  std::vector<Dependency> dependencies;

  std::vector<const SchemaRule*> all_of;
  std::vector<const SchemaRule*> any_of;
  std::vector<const SchemaRule*> one_of;
  const SchemaRule* negated = nullptr;
  const SchemaRule* condition = nullptr;
  const SchemaRule* then_rule = nullptr;
  const SchemaRule* else_rule = nullptr;
};

struct SchemaRules {
  std::deque<SchemaRule> rules;  ///< a deque, so that pointers to its elements stay valid
  const SchemaRule* root = nullptr;
};

/// `invalid` names the place in the schema.
[[nodiscard]] Result<SchemaRules> compile_rules(const Json& schema);
[[nodiscard]] std::vector<SchemaFinding> check_value(const SchemaRules& rules, const Json& value);

}  // namespace pawl::workflow
