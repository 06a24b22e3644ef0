#pragma once

/// A file as a value: {"$file":"sha256:…","name":"a.md","size":4210}. The record holds the
/// reference, the store keeps the bytes.

#include <cstdint>
#include <optional>
#include <string>

#include "pawl/core/json.hpp"

namespace pawl::workflow {

struct FileValue {
  std::string sha256;
  std::string name;  ///< as the stage called it: one name, no path
  std::int64_t size = 0;
};

[[nodiscard]] Json file_value(const FileValue& file);
/// Empty for what is not exactly such a value.
[[nodiscard]] std::optional<FileValue> file_of(const Json& value);

}  // namespace pawl::workflow
