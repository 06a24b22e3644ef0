#pragma once

/// What running attempts report about themselves. It is read from files of this machine and is not
/// part of the records.

#include <optional>
#include <string>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::views {

/// The newest report of one running attempt.
struct RunningAttempt {
  std::string item_key;  ///< empty: a job-wide stage
  std::string stage;
  std::string child;  ///< empty: not a fan-out child
  AttemptNumber attempt = 0;
  std::optional<double> progress;
  std::string message;

  /// "doc-0419/convert", "doc-0419/convert[page-3]", or "total" for a job-wide stage.
  [[nodiscard]] std::string name() const;
};

/// The document with "live", the list of the reports.
[[nodiscard]] Json with_live(const Json& document, const std::vector<RunningAttempt>& running);

/// "40%, page 12 of 30". The percentage is left out unless the progress is between 0 and 1.
[[nodiscard]] std::string report_in_words(const RunningAttempt& running);

}  // namespace pawl::views
