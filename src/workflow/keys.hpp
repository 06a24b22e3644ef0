#pragma once

/// The keys of a workflow file, place by place. The one list of them: unknown keys are told from
/// it, and the schema for editors is tested against it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::workflow {

/// The maps of a workflow file whose keys have a meaning.
enum class KeyPlace : std::uint8_t {
  file,
  defaults,
  job,
  budget,
  items,
  param,
  stage,
  retry,
  backoff,
  exit_codes,
  gate,
  expectation,
  refine,
  review,
  show,
  limits,
};

struct KnownKey {
  std::string_view name;
  /// A key that has a meaning this version cannot honour is refused with this code and reason,
  /// never ignored. Empty: it is honoured.
  std::string_view refusal_code;
  std::string_view refusal;
  std::string_view way_out;

  [[nodiscard]] bool is_honoured() const { return refusal_code.empty(); }
};

[[nodiscard]] std::span<const KnownKey> keys_of(KeyPlace place);
[[nodiscard]] std::vector<std::string> honoured_keys(KeyPlace place);

}  // namespace pawl::workflow
