#pragma once

#include <string>
#include <string_view>

namespace pawl::postgres {

/// Translates a text of the shared reads for PostgreSQL: parameters are `$1` instead of `?1`, and
/// index hints are removed.
[[nodiscard]] std::string in_our_dialect(std::string_view sql);

}  // namespace pawl::postgres
