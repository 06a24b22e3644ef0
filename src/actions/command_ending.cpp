#include "actions/command_ending.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "actions/log_text.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::actions {

namespace {

/// The default meaning of exit codes: those of sysexits.h, the two of shells, and 79 for a rate
/// limit. Every other code is retryable.
ErrorClass usual_class(int code) {
  switch (code) {
    case 64:  // usage
    case 65:  // data
    case 66:  // no input
    case 77:  // permission
    case 78:  // configuration
    case 126:
    case 127:
      return ErrorClass::final;
    case 79:
      return ErrorClass::rate_limited;
    default:
      return ErrorClass::retryable;
  }
}

bool holds(const std::vector<int>& codes, int code) {
  return std::ranges::find(codes, code) != codes.end();
}

ErrorClass class_of(const ActionSpec& action, const ProcessEnd& end) {
  const bool was_signalled = end.how == ProcessEnd::How::signalled;
  // As in shells: a process that was ended by a signal has the code 128 plus the signal number.
  const int code = was_signalled ? 128 + end.number : end.number;
  if (holds(action.final_exits, code)) return ErrorClass::final;
  if (holds(action.retryable_exits, code) || was_signalled) return ErrorClass::retryable;
  return usual_class(code);
}

/// "exit 65", "SIGKILL"
std::string ending_words(const ProcessEnd& end) {
  return end.how == ProcessEnd::How::signalled ? "ended by " + signal_name(end.number)
                                               : "exit " + std::to_string(end.number);
}

std::string code_of(const ProcessEnd& end) {
  return end.how == ProcessEnd::How::signalled ? signal_name(end.number)
                                               : std::to_string(end.number);
}

ErrorKind kind_of(const ProcessEnd& end) {
  return end.how == ProcessEnd::How::signalled ? ErrorKind::signal : ErrorKind::exit;
}

StageError not_started(const ProcessEnd& end) {
  StageError error{
      .error_class = ErrorClass::final, .kind = ErrorKind::exit, .message = end.fault_text};
  switch (end.fault) {
    case StartFault::command_not_found:
      error.code = "R201";
      break;
    case StartFault::not_executable:
      error.code = "R202";
      break;
    case StartFault::no_directory:
      error.code = "R203";
      break;
    case StartFault::too_long:
      error.code = "R204";
      break;
    case StartFault::other:
      error.error_class = ErrorClass::retryable;
      error.code = "start";
      break;
  }
  return error;
}

/// The command reports itself what went wrong.
StageError reported(StageError error, const ProcessEnd& end) {
  if (error.code.empty() && (end.how == ProcessEnd::How::signalled || end.number != 0)) {
    error.code = code_of(end);
  }
  if (error.message.empty()) error.message = ending_words(end);
  return error;
}

StageError ordinary(const ActionSpec& action, const ProcessEnd& end) {
  StageError error{.error_class = class_of(action, end),
                   .kind = kind_of(end),
                   .code = code_of(end),
                   .message = last_line(end.err)};
  // Kind and code already say how it ended; its last line tells failures apart.
  if (error.message.empty()) error.message = ending_words(end);
  return error;
}

}  // namespace

StageError protocol_error(std::string message) {
  return {.error_class = ErrorClass::final,
          .kind = ErrorKind::protocol,
          .code = "protocol",
          .message = std::move(message)};
}

std::optional<StageError> error_of(const ActionSpec& action, const ProcessEnd& end,
                                   const Written& written) {
  if (end.stopped) {
    return StageError{.error_class = ErrorClass::retryable,
                      .kind = ErrorKind::signal,
                      .code = "stopped",
                      .message = "stopped before it ended"};
  }
  if (end.how == ProcessEnd::How::not_started) return not_started(end);
  const bool has_document = written && *written;
  if (has_document && (**written).error) return reported(*(**written).error, end);
  const bool ended_well = end.how == ProcessEnd::How::exited && end.number == 0;
  if (!ended_well) {
    StageError error = ordinary(action, end);
    if (has_document) {
      error.error_class = ErrorClass::retryable;
      error.message = "wrote success, then crashed: " + error.message;
    } else if (written) {
      error.details = Json::object({{"result_unreadable", written->error().text()}});
    }
    return error;
  }
  if (written && !*written) {
    return protocol_error("the result does not follow the protocol: " + written->error().text());
  }
  if (!written && action.capture == Capture::file) {
    return protocol_error(
        "exit 0, but no result was written; write it to $PAWL_RESULT, or use `capture: json` or "
        "`capture: text`");
  }
  return std::nullopt;
}

}  // namespace pawl::actions
