#pragma once

/// How pawl reports errors. Three kinds of problem, three tools:
///   an expected refusal (a stale attempt, a decided review): a value in the answer;
///   an outside failure (disk full, bad input, unknown job): `Result<T>` with an `Error`;
///   a bug in pawl: `require`, which ends the process with file and line, in every build.

#include <expected>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace pawl {

/// A closed set: callers branch on it, and tables map it to exit codes and HTTP statuses.
enum class ErrorCode {
  not_found,    ///< no such job, item, task, review, stage
  conflict,     ///< another process or person decided, claimed or changed it first
  invalid,      ///< the input is wrong; the message says where and how to fix it
  refused,      ///< understood, but not allowed now (a used-up budget, a newer database)
  unavailable,  ///< the store does not respond now (disk full, locked); may work later
  corrupt,      ///< the content of the store violates an invariant
  forbidden,    ///< the person or program may not do this
};

struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string message;  ///< names the object: "no stage 'scann' in workflow 'invoices'"
  std::string help;     ///< what to do, or empty: "did you mean 'scan'?"

  /// Message and help in one line, for logs.
  [[nodiscard]] std::string text() const { return help.empty() ? message : message + "; " + help; }
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message,
                                                 std::string help = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(help)});
}

/// Ends the process with file, line and `what` if an internal contract of pawl is broken. Active in
/// every build: continuing would write data that no rule decided.
void require(bool condition, std::string_view what,
             std::source_location where = std::source_location::current());

}  // namespace pawl
