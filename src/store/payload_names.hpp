#pragma once

/// Which payload files a record names: large outputs, file outputs, logs and artifacts.

#include <string>
#include <string_view>
#include <vector>

namespace pawl {

struct PayloadName {
  std::string sha256;
  bool is_output = false;   ///< a whole output, which may name files itself
  bool is_certain = false;  ///< false: a digest that may be of anything
  friend bool operator==(const PayloadName&, const PayloadName&) = default;
};

/// In the order of the JSON text.
[[nodiscard]] std::vector<PayloadName> payloads_named_in(std::string_view json);

/// A name is no longer than this: who looks through a text in pieces lets them overlap by as much.
inline constexpr std::size_t payload_name_max = 96;

}  // namespace pawl
