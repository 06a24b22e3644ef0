#pragma once

/// The store in one SQLite file: the default, for one machine.
///
/// Beside the database lie the payload files (`<path>.blobs/`), the lock files of the workers
/// (`<path>.workers/`) and the two lock files that writers queue at (`<path>.next`,
/// `<path>.writer`). Any number of processes of one machine may work on it at the same time.
///
/// All of them are for their owner alone (0600, 0700), whatever the umask. A store is refused when
/// another user owns it, or could write to it or to a directory above it: whoever can do that
/// decides which commands run as this user. Root, and for root called by sudo its caller, are
/// trusted.
///
/// Nothing is acknowledged before it is on disk (`Durability::full`). A full disk changes nothing
/// that was acknowledged: the failing write answers `unavailable`, and the same store works again
/// as soon as there is space.
///
/// When a commit fails in the operating system (an I/O error while syncing), only the disk knows
/// whether it was written. The store then opens its connection anew, makes the answer final, and
/// says in the error which of the two it is; `Records::worker(id).last_batch` tells the same.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"
#include "pawl/store/clock.hpp"

namespace pawl {

class Store;

struct SqliteOptions {
  /// `normal` survives the death of the process at any moment, but may lose the newest commits
  /// in a power cut. Neither ever damages the file.
  enum class Durability : std::uint8_t { full, normal };

  std::filesystem::path path;
  Durability durability = Durability::full;
  bool migrate = true;  ///< brings an older schema up to date; otherwise it is refused
  bool create = true;   ///< makes the file where there is none; otherwise `not_found`
  /// The size the database may grow to; 0: as large as the disk allows. At the limit a write
  /// answers `unavailable`, as on a full disk.
  std::int64_t bytes_max = 0;
  /// Uses a store as it is although others could write to it: nothing is checked, no mode changed.
  bool trust_owner = false;
  /// How long a writer waits for its turn. Then the write answers `unavailable`, with the process
  /// that holds the lock.
  Duration lock_timeout = std::chrono::seconds(20);
  /// Asked again and again while a lock is waited for; true ends the wait with `unavailable`.
  std::function<bool()> is_interrupted = {};
};

/// Opens the store. `clock` must outlive it.
///
/// `refused`: a directory, a missing or read-only directory, a network file system, a database of
/// another program or of a newer pawl, one that other users could write to, an older schema without
/// `migrate`. `corrupt`: a file that is not a database. In each of these cases nothing is changed.
[[nodiscard]] Result<std::shared_ptr<Store>> open_sqlite_store(const SqliteOptions& options,
                                                               const Clock& clock = system_clock());

/// Payload files that a process was writing when it died.
struct LeftFiles {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};
/// Those beside the database, which no living process writes. Changes nothing.
[[nodiscard]] LeftFiles half_written_payloads(const std::filesystem::path& database);
/// Removes them, and answers what was removed. `pawl work` and `pawl run` do it when they start.
LeftFiles remove_half_written_payloads(const std::filesystem::path& database);

}  // namespace pawl
