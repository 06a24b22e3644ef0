#pragma once

#include <string>
#include <string_view>

namespace pawl::postgres {

/// A text of the shared reads as PostgreSQL takes it: parameters are `$1` instead of `?1`, and a
/// hint on which index to use is left out.
[[nodiscard]] std::string in_our_dialect(std::string_view sql);

}  // namespace pawl::postgres
