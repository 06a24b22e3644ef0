#pragma once

/// The numbers by which PostgreSQL identifies its types on the wire. They never change.

#include <cstdint>

namespace pawl::postgres {

using TypeId = std::uint32_t;

inline constexpr TypeId type_unsaid = 0;  ///< the server infers it from the statement
inline constexpr TypeId type_bytea = 17;
inline constexpr TypeId type_int8 = 20;
inline constexpr TypeId type_text = 25;
inline constexpr TypeId type_int8_array = 1016;
inline constexpr TypeId type_text_array = 1009;

}  // namespace pawl::postgres
