/// Whatever a command writes as its result or its verdict: it is read or refused, and what was read
/// keeps its promises.

#include "actions/result_document.hpp"

#include <cstdint>
#include <string_view>

#include "pawl/codec/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto result = actions::parse_result_document(text)) {
    require(is_object(result->output), "the output is an object");
    const Usage used = result->usage.value_or(Usage{});
    require(used.cost_microusd >= 0 && used.tokens >= 0, "usage never goes down");
    if (result->error && result->error->retry_after) {
      require(*result->error->retry_after >= Duration::zero(), "nobody waits into the past");
    }
  } else {
    require(!result.error().message.empty(), "refused without a reason");
  }
  if (const auto verdict = actions::parse_verdict_document(text)) {
    require(verdict->usage.tokens >= 0, "usage never goes down");
  } else {
    require(!verdict.error().message.empty(), "refused without a reason");
  }
  return 0;
}
