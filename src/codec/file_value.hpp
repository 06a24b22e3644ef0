#pragma once

/// A file as a value: {"$file":"sha256:…","name":"a.md","size":4210}. The record contains this
/// reference; the store keeps the bytes.

#include <cstdint>
#include <optional>
#include <string>

#include "pawl/core/json.hpp"

namespace pawl::codec {

struct FileValue {
  std::string sha256;
  std::string name;  ///< as the stage named it: a name without a path
  std::int64_t size = 0;
};

[[nodiscard]] Json file_value(const FileValue& file);
/// Empty if the value does not have exactly this form.
[[nodiscard]] std::optional<FileValue> file_of(const Json& value);

}  // namespace pawl::codec
