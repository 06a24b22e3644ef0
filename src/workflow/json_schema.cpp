#include "workflow/json_schema.hpp"

#include <utility>

#include "workflow/schema_rules.hpp"

namespace pawl::workflow {

struct JsonSchema::Representation {
  SchemaRules rules;
};

JsonSchema::JsonSchema(std::shared_ptr<const Representation> representation)
    : representation_(std::move(representation)) {}

Result<JsonSchema> JsonSchema::compile(const Json& schema) {
  auto rules = compile_rules(schema);
  if (!rules) return std::unexpected(std::move(rules.error()));
  return JsonSchema(std::make_shared<const Representation>(*std::move(rules)));
}

std::vector<SchemaFinding> JsonSchema::check(const Json& value) const {
  return check_value(representation_->rules, value);
}

}  // namespace pawl::workflow
