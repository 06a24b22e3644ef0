#pragma once

/// Checks a store's records against the invariants of the engine, from the records alone.
///
/// Everything is read page by page: the log once, in order, then each job with what belongs to it.
/// What is held in between is a few numbers for each job, an entry for each task that has begun and
/// not ended, two bits for each settled item, the ids of purged items and the digests of the last
/// hundred thousand payloads. A store may be worked on meanwhile: a job that changes while it is
/// read is read again, and named in the result if it never holds still.
///
/// All promises but I15, which is one of runs and not of records, are checked as far as
/// "pawl/store/invariants.hpp" says for each, and the database by its own means. What two records
/// tell is held against each other; a value that is recorded once and follows from nothing else,
/// such as an inline output that no person was shown, may be changed unseen.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/decide.hpp"
#include "pawl/store/records.hpp"

namespace pawl {

struct VerifyOptions {
  /// Finds a custom decider by its name; an empty answer, or no lookup: its decisions are counted
  /// as not checked.
  std::function<Decider(std::string_view name)> decider;
  std::uint32_t page = 500;
  enum class Payloads : std::uint8_t {
    read,     ///< their bytes are those they are named by
    present,  ///< they are there, and as long as they should be
    ignored,
  };
  Payloads payloads = Payloads::read;
  enum class Database : std::uint8_t {
    thorough,  ///< its own check of itself, indexes included
    quick,     ///< its own check, without the contents of indexes
    ignored,
  };
  Database database = Database::thorough;  ///< with `job`: ignored
  JobId job;                               ///< none: all jobs, the log's density and the pools
};

struct Violation {
  std::string invariant;  ///< "I3"
  std::string message;    ///< one sentence, with the numbers
  JobId job;
  ItemId item;
  TaskId task;
  std::string item_key;  ///< empty where there is none, or it cannot be read
  std::string stage;     ///< the same
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
  std::int64_t payloads = 0;       ///< different ones, found good
  std::int64_t payload_bytes = 0;  ///< read
  std::int64_t pools = 0;
  std::int64_t decisions_not_checked = 0;
  std::int64_t jobs_without_log = 0;  ///< what adopted items of a moved job came from
  bool pools_not_judged = false;      ///< something happened whenever they were read
  std::vector<JobId> arriving;        ///< jobs that are not whole yet: not judged
  std::vector<JobId> in_motion;       ///< jobs that changed whenever they were read: not judged
  std::vector<Violation> violations;  ///< the first `violations_max`
  std::int64_t violation_count = 0;

  [[nodiscard]] bool ok() const { return violation_count == 0; }
  /// Whether every job that is there was judged, and the pools.
  [[nodiscard]] bool is_complete() const {
    return arriving.empty() && in_motion.empty() && !pools_not_judged;
  }
};

/// An error only where the store cannot be read.
[[nodiscard]] Result<Verification> verify(Records& records, const VerifyOptions& options = {});

/// {"ok":…,"checked":{…},"violations":[{"invariant":…,"message":…}],"explained":{…}}; see
/// docs/reference/verify.md.
[[nodiscard]] Json verification_document(const Verification& verification);

}  // namespace pawl
