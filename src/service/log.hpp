#pragma once

/// The log of the daemon: one line per request and per event of its life. As JSON for programs, as
/// text for people. Never a body, a query, a token or a password.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "pawl/runtime/engine.hpp"
#include "pawl/store/clock.hpp"
#include "service/api/router.hpp"

namespace pawl::service {

enum class LogForm : std::uint8_t { text, json };

class Log {
 public:
  /// Takes whole lines, with their ends.
  using Sink = std::function<void(const std::string& line)>;

  /// Leaves out lines below `least`. The clock must outlive the log.
  Log(LogForm form, LogLevel least, const Clock& clock, Sink sink);

  /// {"time","level","message"}
  void say(LogLevel level, std::string_view message);
  /// {"time","level","message":"request","method","path","route","status","duration_ms","address",
  /// "actor","by","error"}. Successful checks of health and metrics are only for `debug`.
  void note(const RequestRecord& request);

 private:
  void write(LogLevel level, const std::string& text_form, const Json& json_form);

  const LogForm form_;
  const LogLevel least_;
  const Clock& clock_;
  const Sink sink_;
  std::mutex mutex_;  ///< one line at a time
};

/// "debug", "info", "warning", "error"
[[nodiscard]] std::string_view name_of(LogLevel level);

}  // namespace pawl::service
