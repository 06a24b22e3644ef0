#pragma once

/// What the commands of attempts wrote.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/attempts.hpp"

namespace pawl::views {

/// What one attempt wrote to one stream.
struct Log {
  std::string task;
  AttemptNumber attempt = 0;
  std::string_view stream;
  std::string text;
  std::int64_t size = 0;    ///< bytes written; larger than the text if only its end was stored
  bool is_running = false;  ///< the attempt has not ended, and may write more
};

/// The logs of these attempts; with `only`, of the attempts with that number.
[[nodiscard]] Result<std::vector<Log>> logs_of(Records& records,
                                               const std::vector<TaskAttempts>& all,
                                               const std::optional<std::uint32_t>& only);

[[nodiscard]] Json log_document(const Log& log);

}  // namespace pawl::views
