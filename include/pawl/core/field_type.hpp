#pragma once

/// The types of output fields and parameters.

#include <cstdint>
#include <string_view>

namespace pawl {

/// A parameter is never a file.
enum class FieldType : std::uint8_t { string, integer, number, boolean, json, file };
[[nodiscard]] std::string_view name_of(FieldType type);

}  // namespace pawl
