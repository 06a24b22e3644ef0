#pragma once

/// Checks the records of a store against the invariants of the engine, using the records alone.
///
/// Everything is read page by page: the log once, in order, then each job with its records, then
/// the audit trail. The memory needed is a few numbers for each job, an entry for each task that
/// has begun and not ended, two bits for each settled item, the ids of purged items and of the
/// tasks that people skipped, and the digests of the last hundred thousand payloads. The store may
/// be in use meanwhile: a job that changes while it is read is read again, and listed in the result
/// if it keeps changing.
///
/// Every invariant except I15, which is about runs and not records, is checked as far as
/// "pawl/store/invariants.hpp" says; the database is checked by its own means. Facts that two
/// records contain are compared. A value that is recorded once and follows from nothing else, such
/// as an inline output that no reviewer saw, can be altered without being noticed.

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
  /// Finds a custom decider by name. If it returns an empty function, or is not set, the decider's
  /// decisions are counted as not checked.
  std::function<Decider(std::string_view name)> decider;
  std::uint32_t page = 500;
  enum class Payloads : std::uint8_t {
    read,     ///< checks that the bytes match the digest in the name
    present,  ///< checks that the files exist and have the right size
    ignored,
  };
  Payloads payloads = Payloads::read;
  enum class Database : std::uint8_t {
    thorough,  ///< the database's own integrity check, including indexes
    quick,     ///< its own check, without the contents of indexes
    ignored,
  };
  Database database = Database::thorough;  ///< ignored if `job` is set
  JobId job;  ///< none: all jobs, the continuity of the log, the pools, and the audit trail
};

struct Violation {
  std::string invariant;  ///< "I3"
  std::string message;    ///< one sentence, with the numbers
  JobId job;
  ItemId item;
  TaskId task;
  std::string item_key;  ///< empty if there is none, or it cannot be read
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
  std::int64_t payloads = 0;       ///< number of different payloads found to be correct
  std::int64_t payload_bytes = 0;  ///< bytes read
  std::int64_t pools = 0;
  std::int64_t audit_entries = 0;
  std::int64_t decisions_not_checked = 0;
  std::int64_t jobs_without_log = 0;  ///< jobs that hold the originals of adopted items
  bool pools_not_judged = false;      ///< the store changed every time they were read
  std::vector<JobId> arriving;        ///< imports that are not complete: not checked
  std::vector<JobId> in_motion;       ///< jobs that changed every time they were read: not checked
  std::vector<Violation> violations;  ///< the first `violations_max`
  std::int64_t violation_count = 0;

  [[nodiscard]] bool ok() const { return violation_count == 0; }
  /// Whether every job in the store was checked, and the pools.
  [[nodiscard]] bool is_complete() const {
    return arriving.empty() && in_motion.empty() && !pools_not_judged;
  }
};

/// Returns an error only if the store cannot be read.
[[nodiscard]] Result<Verification> verify(Records& records, const VerifyOptions& options = {});

}  // namespace pawl
