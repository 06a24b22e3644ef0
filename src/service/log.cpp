#include "service/log.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include "pawl/codec/rfc3339.hpp"
#include "text/passwords.hpp"
#include "views/escaped_text.hpp"

namespace pawl::service {
namespace {

LogLevel level_of(const RequestRecord& request) {
  if (request.status >= 500) return LogLevel::error;
  if (request.status >= 400) return LogLevel::info;
  const bool is_check =
      request.route == "/healthz" || request.route == "/readyz" || request.route == "/metrics";
  return is_check ? LogLevel::debug : LogLevel::info;
}

double milliseconds_of(const RequestRecord& request) {
  return static_cast<double>(request.duration.count()) / 1e3;
}

Json name_or_null(std::string_view name) { return name.empty() ? Json() : Json(name); }

std::string in_words(const RequestRecord& request) {
  char duration[32];
  std::snprintf(duration, sizeof duration, "%.1f ms", milliseconds_of(request));
  std::string text = std::string(request.method) + " " + std::string(request.path) + " " +
                     std::to_string(request.status) + " " + duration + " " + request.address;
  if (!request.actor.empty()) text += " " + request.actor;
  if (!request.error.empty()) text += ": " + request.error;
  return text;
}

}  // namespace

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return {};
}

Log::Log(LogForm form, LogLevel least, const Clock& clock, Sink sink)
    : form_(form), least_(least), clock_(clock), sink_(std::move(sink)) {}

void Log::say(LogLevel level, std::string_view message) {
  if (level < least_) return;
  const std::string safe = text::without_passwords(message);
  write(level, safe, Json::object({{"message", safe}}));
}

void Log::note(const RequestRecord& request) {
  const LogLevel level = level_of(request);
  if (level < least_) return;
  write(level, in_words(request),
        Json::object({{"message", "request"},
                      {"method", request.method},
                      {"path", request.path},
                      {"route", name_or_null(request.route)},
                      {"status", request.status},
                      {"duration_ms", milliseconds_of(request)},
                      {"address", request.address},
                      {"actor", name_or_null(request.actor)},
                      {"by", name_or_null(request.by)},
                      {"error", name_or_null(request.error)}}));
}

void Log::write(LogLevel level, const std::string& text_form, const Json& json_form) {
  const std::string time = rfc3339(clock_.now());
  std::string line;
  if (form_ == LogForm::text) {
    line = time + " " + std::string(name_of(level)) + ": " + views::printable(text_form) + "\n";
  } else {
    // The members of `json_form` follow the two that every line has.
    line = R"({"time":")" + time + R"(","level":")" + std::string(name_of(level)) + R"(",)" +
           views::printable_lines(json_form.text()).substr(1) + "\n";
  }
  const std::lock_guard lock(mutex_);
  sink_(line);
}

}  // namespace pawl::service
