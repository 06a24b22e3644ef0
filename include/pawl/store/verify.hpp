#pragma once

/// Checks a store's records against the invariants of the engine, from the records alone.
///
/// Everything is read page by page; memory is bounded by one item's records. A store may be worked
/// on meanwhile: a job that changes while it is read is read again, and named in the result if it
/// never holds still.
///
/// Checked: I2 one open attempt, I3 dense numbers and true counters, I5 counts within their caps,
/// I6 every decision made again, I7 no stage before its needs, I8 reviews, I9 no early retry,
/// I10 items, I11 nothing opened after a cancel, I12 no job that can do nothing, the log's density.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl {

/// A custom decider as the runtime has it.
using Decider = std::function<Advice(const StageDefinition&, const Attempt&)>;

struct VerifyOptions {
  /// Finds a custom decider by its name; an empty answer, or no lookup: its decisions are counted
  /// as not checked.
  std::function<Decider(std::string_view name)> decider;
  std::uint32_t page = 500;
  JobId job;  ///< none: all jobs, and the log
};

struct Violation {
  std::string invariant;  ///< "I3"
  std::string message;    ///< one sentence, with the numbers
  JobId job;
  ItemId item;
  TaskId task;
  friend bool operator==(const Violation&, const Violation&) = default;
};

inline constexpr std::size_t violations_max = 1'000;

struct Verification {
  std::int64_t jobs = 0;
  std::int64_t items = 0;
  std::int64_t tasks = 0;
  std::int64_t attempts = 0;
  std::int64_t reviews = 0;
  std::int64_t events = 0;
  std::int64_t decisions_not_checked = 0;
  std::vector<JobId> in_motion;       ///< jobs that changed whenever they were read: not judged
  std::vector<Violation> violations;  ///< the first `violations_max`
  std::int64_t violation_count = 0;

  [[nodiscard]] bool ok() const { return violation_count == 0; }
};

/// An error only where the store cannot be read.
[[nodiscard]] Result<Verification> verify(Records& records, const VerifyOptions& options = {});

/// {"ok":…,"checked":{…},"violations":[{"invariant":…,"message":…}]}
[[nodiscard]] Json verification_document(const Verification& verification);

}  // namespace pawl
