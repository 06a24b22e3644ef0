#pragma once

/// Which payload files a record names: large outputs, file outputs, logs and artifacts.

#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/attempt.hpp"

namespace pawl::store {

struct PayloadName {
  std::string sha256;
  bool is_output = false;  ///< a whole output, which may name files itself
  bool is_certain = true;  ///< false: a digest that may be of anything
  friend bool operator==(const PayloadName&, const PayloadName&) = default;
};

/// The files of a JSON text, wherever they stand in it: {"$file":"sha256:…",…}.
[[nodiscard]] std::vector<PayloadName> files_named_in(std::string_view json);
/// The same, and the payload that the value itself stands for, if it is a reference to one.
[[nodiscard]] std::vector<PayloadName> payloads_named_in(const Json& value);
/// Its output, logs and artifacts.
[[nodiscard]] std::vector<PayloadName> payloads_named_in(const Attempt& attempt);

/// A name is no longer than this: who looks through a text in pieces lets them overlap by as much.
inline constexpr std::size_t payload_name_max = 96;

}  // namespace pawl::store
