#pragma once

/// The store in one SQLite file: the default, for one machine.
///
/// The payload files (`<path>.blobs/`), the lock files of the workers (`<path>.workers/`) and the
/// two lock files of the writers' queue (`<path>.next`, `<path>.writer`) lie beside the database.
/// Any number of processes on one machine may use the store at the same time.
///
/// Files are created for the owner alone (0600, 0700), whatever the umask. An owner who opens them
/// for readers keeps them so; write access of others is removed when the owner opens them. A store
/// is refused if another user owns it, or can write to it or to a directory above it, because such
/// a user could decide which commands run as this user. Root is trusted and, for root under sudo,
/// the user who called it.
///
/// Nothing is acknowledged before it is on disk (`Durability::full`). A full disk does not affect
/// acknowledged data: the failing write returns `unavailable`, and the same store works again as
/// soon as there is space.
///
/// If the operating system fails a commit (an I/O error during sync), only the disk knows whether
/// it was written. The store then reopens its connection, makes the outcome final, and says in the
/// error which one it is. `Records::worker(id).last_batch` shows it too.

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
  /// `normal` survives the death of the process at any time, but a power cut may lose the newest
  /// commits. Neither setting ever damages the file.
  enum class Durability : std::uint8_t { full, normal };

  std::filesystem::path path;
  Durability durability = Durability::full;
  bool migrate = true;  ///< migrates an older schema; otherwise it is refused
  bool create = true;   ///< creates the file if there is none; otherwise `not_found`
  /// Opens an existing store for a user who may read the file but not write it. Changes nothing,
  /// and returns `refused` for every write and for an older schema.
  bool read_only = false;
  /// The maximum size of the database; 0: limited only by the disk. At the limit a write returns
  /// `unavailable`, as on a full disk.
  std::int64_t bytes_max = 0;
  /// Uses the store even if other users can write to it: checks nothing and changes no file modes.
  bool trust_owner = false;
  /// How long a writer waits for its turn. After that the write returns `unavailable`, and the
  /// message names the process that holds the lock.
  Duration lock_timeout = std::chrono::seconds(20);
  /// Called repeatedly while waiting for a lock; returning true ends the wait with `unavailable`.
  std::function<bool()> is_interrupted = {};
};

/// Opens the store. `clock` must outlive it.
///
/// `refused`: the path is a directory, its directory is missing or read-only, a network file
/// system, a database of another program or of a newer pawl, one that other users can write to, an
/// older schema without `migrate`. `corrupt`: the file is not a database. In each of these cases
/// nothing is changed.
[[nodiscard]] Result<std::shared_ptr<Store>> open_sqlite_store(const SqliteOptions& options,
                                                               const Clock& clock = system_clock());

/// Partly written payload files of processes that died.
struct LeftFiles {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};
/// Counts those beside the database that no living process is writing. Changes nothing.
[[nodiscard]] LeftFiles half_written_payloads(const std::filesystem::path& database);
/// Removes them and returns what was removed. `pawl work` and `pawl run` call it when they start.
LeftFiles remove_half_written_payloads(const std::filesystem::path& database);

}  // namespace pawl
