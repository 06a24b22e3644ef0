/// Whatever the schema and the value, one a line: the schema is compiled or refused, and the check
/// ends.

#include "workflow/json_schema.hpp"

#include <cstdint>
#include <string_view>

#include "pawl/codec/json.hpp"
#include "pawl/core/result.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl;
  using namespace pawl::workflow;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  const auto schema = parse_json(text.substr(0, end));
  if (!schema) return 0;
  const auto compiled = JsonSchema::compile(*schema);
  if (!compiled) {
    require(!compiled.error().message.empty(), "refused without a reason");
    return 0;
  }
  const auto value =
      end == std::string_view::npos ? Result<Json>(*schema) : parse_json(text.substr(end + 1));
  const auto findings = compiled->check(value ? *value : *schema);
  require(findings.size() <= 100, "more findings than promised");
  for (const SchemaFinding& finding : findings) {
    require(!finding.message.empty(), "a finding without a message");
  }
  return 0;
}
