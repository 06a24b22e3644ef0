#include <cstdio>
#include <cstdlib>

#include "pawl/core/result.hpp"

namespace pawl {

void require(bool condition, std::string_view what, std::source_location where) {
  if (condition) return;
  std::fprintf(stderr, "%s:%u: broken promise in %s: %.*s\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name(),
               static_cast<int>(what.size()), what.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace pawl
