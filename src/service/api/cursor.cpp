#include "service/api/cursor.hpp"

#include <charconv>

namespace pawl::service {

Result<std::int64_t> number_of_cursor(const std::string& cursor) {
  std::int64_t number = 0;
  const char* const end = cursor.data() + cursor.size();
  const auto read = std::from_chars(cursor.data(), end, number);
  const bool is_good = cursor.empty() || (read.ec == std::errc() && read.ptr == end && number > 0);
  if (is_good) return number;
  return fail(ErrorCode::invalid, "'after' is not the cursor of this list",
              "pass `next` of the page before");
}

}  // namespace pawl::service
