#pragma once

/// The keys of a workflow file, map by map. This is the only list: unknown keys are detected with
/// it, and a test compares the schema for editors with it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::workflow {

/// The maps of a workflow file that have a fixed set of keys.
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
  each,
  gate,
  gate_part,
  expectation,
  refine,
  review,
  show,
  limits,
};

struct KnownKey {
  std::string_view name;
  /// If the key is reserved but not supported, it is refused with this code and reason, never
  /// ignored. Empty: it is supported.
  std::string_view refusal_code;
  std::string_view refusal;
  std::string_view way_out;

  [[nodiscard]] bool is_honoured() const { return refusal_code.empty(); }
};

[[nodiscard]] std::span<const KnownKey> keys_of(KeyPlace place);
[[nodiscard]] std::vector<std::string> honoured_keys(KeyPlace place);
[[nodiscard]] std::vector<std::string> honoured_keys(std::span<const KnownKey> keys);

}  // namespace pawl::workflow
