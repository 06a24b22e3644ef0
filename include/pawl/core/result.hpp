#pragma once

/// How pawl says no. Three kinds, three tools:
///   the domain says no (a stale attempt, a decided review): a value in the answer;
///   the world says no (disk full, bad input, unknown job): `Result<T>` with an `Error`;
///   we are wrong: `require`, which ends the process with file and line, in every build.

#include <expected>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

namespace pawl {

/// A closed set: callers branch on it, tables map it to exit codes and HTTP statuses.
enum class ErrorCode {
  not_found,    ///< no such job, item, task, review, stage
  conflict,     ///< somebody else decided, claimed or changed it first
  invalid,      ///< the input is wrong; the message names the place and the way out
  refused,      ///< understood, and not allowed now (a used-up budget, a newer database)
  unavailable,  ///< the store does not answer now (disk full, locked out); may work later
  corrupt,      ///< the store's content breaks a promise
};

struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string message;  ///< names the thing: "no stage 'scann' in workflow 'invoices'"
  std::string help;     ///< the way out, or empty: "did you mean 'scan'?"

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

/// Ends the process with file, line and `what` when a promise between our own parts is broken.
/// On in every build: going on would write what nobody decided.
void require(bool condition, std::string_view what,
             std::source_location where = std::source_location::current());

}  // namespace pawl
