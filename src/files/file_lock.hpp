#pragma once

/// Waiting for the lock of a file (flock), with an end: a timeout, or somebody who says stop.
///
/// The kernel hands a lock on in order of arrival, but only to those that block in the call, and
/// nothing but a signal ends that. So a thread of its own blocks where the lock is not free.

#include <filesystem>
#include <functional>
#include <string>

#include "files/descriptor.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl::files {

struct LockPatience {
  Duration timeout = std::chrono::seconds(20);
  /// Asked a few dozen times a second; true ends the wait. From whatever thread waits.
  std::function<bool()> is_interrupted = {};
};

enum class LockWait : unsigned char { taken, timed_out, interrupted };

/// Takes the lock of the open file. Where it has to wait, `file` is then another opening of the
/// same path: a lock belongs to the opening. An `Error` where the system refuses.
[[nodiscard]] Result<LockWait> take_lock(const std::filesystem::path& path, Descriptor& file,
                                         const LockPatience& patience);

/// The processes that hold a lock on the file: "process 4242 (pawl)"; empty when none is known.
[[nodiscard]] std::string lock_holders(const std::filesystem::path& path);

/// What to tell of a lock that was not taken: which, why, who holds it, and the way out. `holders`
/// as `lock_holders` tells them.
[[nodiscard]] Error lock_error(const std::filesystem::path& path, LockWait how,
                               const LockPatience& patience, const std::string& holders);

}  // namespace pawl::files
